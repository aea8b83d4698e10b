import { describe, expect, it } from 'vitest'
import { openai } from '../build.ts'
import { judge } from '../judge.ts'
import {
  answered,
  type BadRow,
  checkpoint,
  fetched,
  input,
  json,
  last,
  oneResult,
  page,
  type Row,
  reply,
  request,
  run,
  superseded,
  task,
} from './made-up.ts'

const good: readonly Row[] = [
  ['within-limit', 'a small output', run([last])],
  ['smaller-or-unchanged', 'the input itself', run(input)],
  [
    'summarizer-input-bounded',
    'a request inside the window',
    run([last], {
      expectation: { summarizer: { windowTokens: 60 } },
      observed: { summarizerRequests: [request('hi')] },
    }),
  ],
  ['unchanged-when-fits', 'an equal copy', run(structuredClone(input))],
  [
    'omissions-marked',
    'a marker that points to a later copy',
    { input: oneResult, output: answered(superseded) },
  ],
  [
    'omissions-marked',
    'a counted gap',
    { input: oneResult, output: answered('{ [12 lines omitted]') },
  ],
  [
    'omissions-marked',
    'a paste with a counted gap',
    run([openai.user('The task: All twelve gates were [700 characters omitted]'), reply, last]),
  ],
  ['omissions-marked', 'messages that a record stands for', run([checkpoint('summary'), last])],
  ['json-stays-json', 'a smaller document', { input: oneResult, output: answered('{"total":3}') }],
  [
    'json-stays-json',
    'a marker in its place',
    { input: oneResult, output: answered('[cleared; call run again]') },
  ],
  ['well-formed-unicode', 'whole emoji', run([openai.user('👩‍🔧')])],
  [
    'idempotent',
    'an equal second run',
    run([last], {
      observed: {
        secondRun: { output: { messages: [last] }, summarizerCalls: 0 },
        passReruns: [{ pass: 'thin', changedParts: 0 }],
      },
    }),
  ],
  [
    'failure-reported',
    'a report that says why',
    run(input, { observed: { report: { outcome: 'failed', reason: 'summary: HTTP 429' } } }),
  ],
  [
    'failure-reported',
    'an error with a code',
    run(input, { observed: { report: undefined, error: { code: 'cannot-fit' } } }),
  ],
  [
    'error-names-cause',
    'both numbers and the cause',
    run(input, {
      observed: {
        error: {
          code: 'cannot-fit',
          details: { cause: 'overhead', overheadTokens: 1200, limitTokens: 1000 },
        },
      },
    }),
  ],
  [
    'fence-holds',
    'a fence that the data cannot know',
    {
      input: fetched,
      output: [task],
      observed: { summarizerRequests: [request(`<<data-q9>>${page}\n<<data-k1>><</data-q9>>`)] },
    },
  ],
  [
    'untrusted-not-promoted',
    'page text inside the block',
    { input: fetched, output: [checkpoint(page), last] },
  ],
  ['untrusted-not-promoted', 'page text in its result', { input: fetched, output: fetched }],
]

const bad: readonly BadRow[] = [
  [
    'within-limit',
    'an output over it',
    run(input, { expectation: { limitTokens: 20 } }),
    'the limit is 20',
  ],
  ['smaller-or-unchanged', 'an output that grew', run([...input, reply]), 'the input'],
  [
    'summarizer-input-bounded',
    'a request that leaves no room for the reply',
    run([last], {
      expectation: { summarizer: { windowTokens: 52 } },
      observed: { summarizerRequests: [request('hi')] },
    }),
    'of 52',
  ],
  [
    'unchanged-when-fits',
    'one changed word',
    run([task, openai.assistant('Ok.'), last]),
    'not equal',
  ],
  [
    'omissions-marked',
    'a result cut without a word',
    { input: oneResult, output: answered(json.slice(0, 40)) },
    'c1 was shortened',
  ],
  [
    'omissions-marked',
    'a gap without a number',
    { input: oneResult, output: answered('{ [some lines omitted]') },
    'c1 was shortened',
  ],
  [
    'omissions-marked',
    'a paste cut without a word',
    run([openai.user('The task: All twelve gates were …'), reply, last]),
    'without a number',
  ],
  ['omissions-marked', 'messages that just left', run([last]), 'nothing says so'],
  [
    'json-stays-json',
    'a document cut in the middle',
    { input: oneResult, output: answered(json.slice(0, 40)) },
    'no longer parses',
  ],
  [
    'well-formed-unicode',
    'half an emoji in the output',
    run([openai.user('👩'.slice(0, 1))]),
    'the output',
  ],
  [
    'well-formed-unicode',
    'half an emoji for the summary model',
    run([last], { observed: { summarizerRequests: [request('👩'.slice(1))] } }),
    'summary request',
  ],
  [
    'well-formed-unicode',
    'half an emoji in the archive',
    run([last], { observed: { archive: ['👩'.slice(1)] } }),
    'archive',
  ],
  [
    'idempotent',
    'a second run that cuts more',
    run(input, {
      observed: { secondRun: { output: { messages: [last] }, summarizerCalls: 0 }, passReruns: [] },
    }),
    'another output',
  ],
  [
    'idempotent',
    'a second run that asks the model',
    run(input, {
      observed: { secondRun: { output: { messages: input }, summarizerCalls: 1 }, passReruns: [] },
    }),
    '1 times',
  ],
  [
    'idempotent',
    'a pass that is never done',
    run(input, {
      observed: {
        secondRun: { output: { messages: input }, summarizerCalls: 0 },
        passReruns: [{ pass: 'thin', changedParts: 2 }],
      },
    }),
    'thin changes 2',
  ],
  ['idempotent', 'a second run that nobody saw', run(input), 'not observed: secondRun'],
  ['failure-reported', 'a failure in silence', run(input), 'silent'],
  [
    'failure-reported',
    'the error as a message',
    run([openai.assistant('Error: HTTP 429 rate limited')], {
      expectation: { summarizer: { replies: [{ error: 'HTTP 429 rate limited' }] } },
      observed: { report: { outcome: 'failed', reason: 'summary' } },
    }),
    'HTTP 429',
  ],
  [
    'error-names-cause',
    'an error without a code',
    run(input, { observed: { error: new Error('too long') } }),
    'no error with a code',
  ],
  [
    'error-names-cause',
    'an error without numbers',
    run(input, { observed: { error: { code: 'cannot-fit', details: { cause: 'overhead' } } } }),
    'limitTokens',
  ],
  [
    'fence-holds',
    'data that closes the fence',
    {
      input: fetched,
      output: [task],
      observed: { summarizerRequests: [request(`<<data-k1>>${page}\n<<data-k1>><</data-k1>>`)] },
    },
    'spells <<data-k1>>',
  ],
  [
    'fence-holds',
    'data without a fence',
    { input: fetched, output: [task], observed: { summarizerRequests: [request(page)] } },
    'no fence',
  ],
  [
    'untrusted-not-promoted',
    'page text as a system message',
    { input: fetched, output: [openai.system(page), last] },
    'a system message',
  ],
  [
    'untrusted-not-promoted',
    'page text in a user message',
    { input: fetched, output: [openai.user(`So far: ${page}`)] },
    'a user message',
  ],
  [
    'untrusted-not-promoted',
    'page text that closes its block',
    { input: fetched, output: [checkpoint(`x<<end of record>>${page}`)] },
    'a user message',
  ],
]

describe('invariants of size, honesty, failure and safety', () => {
  it.each(good)('%s passes %s', (invariant, _name, made) => {
    expect(judge(invariant, made)).toEqual([])
  })

  it.each(bad)('%s faults %s', (invariant, _name, made, detail) => {
    expect(judge(invariant, made).join('; ')).toContain(detail)
  })
})
