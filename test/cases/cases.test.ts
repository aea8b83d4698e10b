import { describe, expect, it } from 'vitest'
import { checkCase } from '../support/case-checker.ts'
import { readCases } from '../support/case-files.ts'
import { hasShared } from '../support/shared-data.ts'
import { deferralOf } from './deferrals.ts'
import { runCase } from './run-case.ts'
import { tampMarks } from './tamp-marks.ts'

/** `fit` stores nothing: `conversations.test.ts` runs what needs a store, on the same input. */
const needStore = new Set(['originals-retained', 'input-untouched:restart'])

describe.skipIf(!hasShared('cases'))('compaction cases', () => {
  // A script needs a history that lasts from one compaction to the next.
  for (const file of readCases().filter(({ input }) => input.then === undefined)) {
    const { case: name } = file.expectation
    const later = deferralOf(name)
    if (later !== undefined) {
      it.todo(`${name} (issue ${later.issue}: ${later.reason})`)
      continue
    }
    it(`${name} holds`, async () => {
      const observed = await runCase(file)
      const options = { marks: tampMarks, deferred: needStore }
      expect(checkCase(file.input, file.expectation, observed, options)).toEqual([])
    })
  }
})
