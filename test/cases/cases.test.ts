import { describe, expect, it } from 'vitest'
import { checkCase } from '../support/case-checker.ts'
import { readCases } from '../support/case-files.ts'
import { hasShared } from '../support/shared-data.ts'
import { deferredCases, deferredChecks } from './deferrals.ts'
import { runCase } from './run-case.ts'
import { tampMarks } from './tamp-marks.ts'

const deferred = new Set(Object.keys(deferredChecks))

describe.skipIf(!hasShared('cases'))('compaction cases', () => {
  for (const file of readCases()) {
    const { case: name, invariants } = file.expectation
    const later = deferredCases[name.slice(0, 2)]
    if (later !== undefined) {
      it.todo(`${name} (issue ${later.issue}: ${later.reason})`)
      continue
    }
    it(`${name} holds`, async () => {
      const observed = await runCase(file)
      const problems = checkCase(file.input, file.expectation, observed, {
        marks: tampMarks,
        deferred,
      })
      expect(problems).toEqual([])
    })
    for (const [check, { issue, reason }] of Object.entries(deferredChecks)) {
      if (invariants.includes(check.split(':')[0] ?? check)) {
        it.todo(`${name}: ${check} (issue ${issue}: ${reason})`)
      }
    }
  }
})
