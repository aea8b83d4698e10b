import { describe, expect, it } from 'vitest'
import { openai } from './build.ts'
import { checkCase } from './case-checker.ts'
import { readCases } from './case-files.ts'
import type { CaseExpectation, Observed } from './case-types.ts'
import { invariants } from './checks/index.ts'
import { dropOldest } from './drop-oldest.ts'
import { expecting, observing } from './judge.ts'
import { plainMarks } from './marks.ts'
import { hasShared } from './shared-data.ts'
import { textsOfRequest } from './texts.ts'

const last = openai.user('And blue?')
const messages = [openai.user('Count the red gates.'), openai.assistant('Seven red gates.'), last]
const shorter = [openai.user('Count the red gates. (1 message omitted)'), last]

function problemsOf(fields: Partial<CaseExpectation>, observed: Partial<Observed> = {}): string[] {
  const input = { case: '00-made-up', format: 'openai-chat' as const, messages }
  const seen = observing({ input: messages, output: shorter, observed })
  const found = checkCase(input, expecting(fields), seen, { marks: plainMarks })
  return found.map(({ check, detail }) => `${check}: ${detail}`)
}

const request = { system: 'Summarize.', prompt: 'Seven red gates.', maxTokens: 10 }
const same = { output: { messages }, report: { outcome: 'unchanged', reason: undefined } } as const

describe('fields of an expectation', () => {
  it.each<[string, Partial<CaseExpectation>, Partial<Observed>?]>([
    ['a compacted run', {}],
    ['an unchanged run', { outcome: 'unchanged' }, same],
    [
      'the error asked for',
      { outcome: 'error:cannot-fit' },
      { output: undefined, error: { code: 'cannot-fit' } },
    ],
    ['kept text', { mustKeepVerbatim: ['red gates'], mustNotContain: ['Seven'] }],
    ['counted text', { mustOccurOnce: ['blue'], mustOccurTimes: { gates: 1, Seven: 0 } }],
    ['order', { mustOccurInOrder: ['red', 'blue'] }],
    [
      'a summary call',
      { maxSummarizerCalls: 1, summarizerMustContain: ['Seven'] },
      { summarizerRequests: [request] },
    ],
  ])('%s passes', (_name, fields, observed) => {
    expect(problemsOf(fields, observed)).toEqual([])
  })

  it.each<[string, Partial<CaseExpectation>, Partial<Observed>?]>([
    ['the messages are those of the input', {}, same],
    ['the report says failed', {}, { report: { outcome: 'failed', reason: 'x' } }],
    [
      'asked for compacted, got the error',
      {},
      { output: undefined, error: { code: 'engine-lost' } },
    ],
    ['not equal to the input', { outcome: 'unchanged' }],
    ['asked for error:cannot-fit', { outcome: 'error:cannot-fit' }],
    ['no text contains "Seven"', { mustKeepVerbatim: ['Seven'] }],
    ['a text contains "red"', { mustNotContain: ['red'] }],
    ['occurs 1 times, asked for 2', { mustOccurTimes: { blue: 2 } }],
    ['occurs 0 times, asked for 1', { mustOccurOnce: ['Seven'] }],
    ['"red" does not follow', { mustOccurInOrder: ['blue', 'red'] }],
    ['1 summary calls, at most 0', { maxSummarizerCalls: 0 }, { summarizerRequests: [request] }],
    [
      'no summary request contains "Nine"',
      { summarizerMustContain: ['Nine'] },
      { summarizerRequests: [request] },
    ],
    [
      'a summary request contains "Seven"',
      { summarizerMustNotContain: ['Seven'] },
      { summarizerRequests: [request] },
    ],
    ['nobody wrote a check', { invariants: ['tasty'] }],
    ['not observed: triggers', { triggerChecks: [trigger(5)] }],
    [
      'usage 0 (openai) was read as',
      { triggerChecks: [trigger(5)] },
      { triggers: [{ contextTokens: 4, due: false }] },
    ],
    [
      'system text or tools were changed',
      {},
      { output: { messages: shorter, system: 'Be brief.' } },
    ],
  ])('faults: %s', (detail, fields, observed) => {
    expect(problemsOf(fields, observed).join('; ')).toContain(detail)
  })
})

function trigger(contextTokens: number) {
  return { usageShape: 'openai', usage: {}, threshold: 10, contextTokens, due: false }
}

describe.skipIf(!hasShared('cases'))('cases of the shared folder', () => {
  const cases = readCases()

  it('are 34, and every invariant they name has a check', () => {
    expect(cases).toHaveLength(34)
    const named = new Set(cases.flatMap(({ expectation }) => expectation.invariants))
    expect([...named].filter((name) => invariants[name] === undefined)).toEqual([])
  })

  const compacted = cases.filter(({ expectation }) => expectation.outcome === 'compacted')
  it.each(compacted.map((file) => [file.input.case, file] as const))(
    '%s fails for plain drop-oldest',
    (_name, { input, expectation }) => {
      const output = dropOldest(input, expectation.limitTokens)
      const everything = [...textsOfRequest(input)]
      // Everything that is not about the output itself is as in a perfect run: the output alone must fail.
      const observed: Observed = {
        output,
        report: { outcome: 'compacted', reason: undefined },
        summarizerRequests: [],
        summaries: [],
        inputBefore: structuredClone(input),
        inputAfter: input,
        storedAfterRestart: input,
        archive: everything,
        secondRun: { output, summarizerCalls: 0 },
        passReruns: [],
        steps: [{ before: input, after: output, summarizerRequests: [] }],
      }
      const deferred = new Set(['triggerChecks'])
      const relaxed = { ...expectation, summarizerMustContain: [] }
      const problems = checkCase(input, relaxed, observed, { marks: plainMarks, deferred })
      expect(problems).not.toEqual([])
    },
  )
})
