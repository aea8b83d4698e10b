import { describe, expect, it } from 'vitest'
import type { ModelReply, ModelRequest } from '../../src/core/summary.ts'
import { checkCase } from '../support/case-checker.ts'
import { type CaseFile, readCases } from '../support/case-files.ts'
import type { Observed, ObservedStep } from '../support/case-types.ts'
import { type Compacted, compact, nothingKept, projected } from '../support/compactions.ts'
import type { NativeRequest } from '../support/native.ts'
import { hasShared } from '../support/shared-data.ts'
import { tampMarks } from './tamp-marks.ts'

/** Runs the script of a case on the machine, each compaction from what the one before left. */
function runScript(
  { input, expectation }: CaseFile,
  reply: ((ask: ModelRequest) => ModelReply) | undefined,
): Observed {
  const { format, then = [] } = input
  const { limitTokens } = expectation
  let request: NativeRequest = { ...input, messages: [...input.messages] }
  let last: Compacted | undefined
  const steps: ObservedStep[] = []
  for (const { append, compact: isDue } of then) {
    request = { ...request, messages: [...request.messages, ...(append ?? [])] }
    if (!isDue) continue
    const kept = last?.kept ?? nothingKept
    const before = projected(format, request, kept)
    last = compact(format, request, kept, { limitTokens, ...(reply ? { reply } : {}) })
    const summarizerRequests = last.asked
    steps.push({ before, after: projected(format, request, last.kept), summarizerRequests })
  }
  const output = projected(format, request, last?.kept ?? nothingKept)
  return {
    output: { messages: output.messages },
    report: { outcome: 'compacted', reason: last?.reason },
    summarizerRequests: steps.flatMap((step) => step.summarizerRequests),
    summaries: [],
    inputBefore: structuredClone(request),
    inputAfter: request,
    steps,
  }
}

const stub = (): ModelReply => ({
  type: 'text',
  text: 'STUB-SUMMARY: the earlier steps were done as asked; details are in the archive.',
  finish: undefined,
})

describe.skipIf(!hasShared('cases'))('cases that compact twice', () => {
  for (const file of readCases().filter(({ input }) => input.then !== undefined)) {
    it(`${file.expectation.case} holds with a summarizer`, () => {
      const observed = runScript(file, stub)
      const problems = checkCase(file.input, file.expectation, observed, { marks: tampMarks })
      expect(problems).toEqual([])
      expect(observed.steps?.length).toBeGreaterThan(1)
    })
  }
})
