import { describe, expect, it } from 'vitest'
import { anthropic, openai } from './build.ts'
import type { Native } from './native.ts'
import { thinkingChanges } from './oracle/thinking.ts'
import { brokenRules, newlyBroken, refusals } from './oracle.ts'
import { hasShared } from './shared-data.ts'
import { readExchanges } from './transcripts.ts'

const task = openai.user('Do it.')
const calls = openai.calls(['c1', 'run', { cmd: 'a' }], ['c2', 'run', { cmd: 'b' }])
const one = openai.result('c1', 'one')
const two = openai.result('c2', 'two')

/** A table row: what the history is, its messages, the rules it breaks (`!` in front: refused). */
type Row = readonly [name: string, messages: readonly Native[], broken: readonly string[]]

const openaiRows: readonly Row[] = [
  ['a plain chat', [openai.system('s'), task, openai.assistant('ok'), task], []],
  ['a parallel turn in another order', [task, calls, two, one], []],
  ['neighbours of one role', [task, task, openai.assistant('a'), openai.assistant('b'), task], []],
  ['calls that are about to run', [task, calls], []],
  [
    'calls without content',
    [task, { role: 'assistant', tool_calls: calls.tool_calls }, one, two],
    [],
  ],
  ['a call without result', [task, calls, one, task], ['!call-unanswered']],
  ['a batch broken off at the end', [task, calls, one], ['!call-unanswered']],
  ['a result without call', [task, one], ['!result-without-call']],
  ['text between', [task, calls, one, task, two], ['!call-unanswered', '!result-without-call']],
  [
    'a head that was trimmed',
    [one, two, task],
    ['!result-without-call', '!result-without-call', 'first-is-no-user'],
  ],
  ['a result twice', [task, calls, one, two, one], ['result-twice']],
  ['an id twice', [task, calls, one, two, calls, one, two], ['id-not-unique', 'id-not-unique']],
  ['an endless string', [openai.user('a'.repeat(10_485_761))], ['!string-too-long']],
  ['a greeting first', [openai.assistant('Hello.'), task], ['first-is-no-user']],
  ['an answer last', [task, openai.assistant('ok')], ['ends-without-user']],
  ['an empty answer', [task, openai.assistant(''), task], ['empty-content']],
  ['null without calls', [task, openai.assistant(null), task], ['empty-content']],
  [
    'an empty result',
    [task, openai.calls(['c1', 'run', {}]), openai.result('c1', '')],
    ['empty-result'],
  ],
]

const ask = anthropic.user('Do it.')
const call = anthropic.call('t1', 'run', {})
const answer = anthropic.result('t1', 'one')
const loop = [ask, anthropic.assistant(call), anthropic.user(answer)]
const serverCall = { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }
const serverResult = { type: 'web_search_tool_result', tool_use_id: 's1', content: [] }
const marked = { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }

const anthropicRows: readonly Row[] = [
  ['a loop', loop, []],
  [
    'text behind the results',
    [ask, anthropic.assistant('Now:', call), anthropic.user(answer, 'and?')],
    [],
  ],
  [
    'results in two messages',
    [
      ask,
      anthropic.assistant(call, { ...call, id: 't2' }),
      anthropic.user(answer),
      anthropic.user({ ...answer, tool_use_id: 't2' }),
    ],
    [],
  ],
  [
    'a turn in two messages',
    [ask, anthropic.assistant('Now:'), anthropic.assistant(call), anthropic.user(answer)],
    [],
  ],
  [
    'a system message between',
    [...loop, { role: 'system', content: 'new tools' }, anthropic.assistant('ok'), ask],
    [],
  ],
  ['a server tool', [ask, anthropic.assistant(serverCall, serverResult, 'Found.'), ask], []],
  ['calls that are about to run', loop.slice(0, 2), []],
  ['a call without result', [...loop.slice(0, 2), ask], ['!call-unanswered']],
  [
    'a result without call',
    [ask, anthropic.user(answer)],
    ['!result-without-call', '!results-not-first'],
  ],
  [
    'a head that was trimmed',
    [anthropic.user(answer)],
    ['!result-without-call', 'first-is-no-user'],
  ],
  [
    'text first',
    [ask, anthropic.assistant(call), anthropic.user('wait', answer)],
    ['!results-not-first'],
  ],
  [
    'text first after merging',
    [...loop.slice(0, 2), ask, anthropic.user(answer)],
    ['!results-not-first'],
  ],
  ['an id of an earlier turn again', [...loop, ...loop.slice(1)], ['id-not-unique']],
  [
    'an id twice in a turn',
    [ask, anthropic.assistant(call, call), anthropic.user(answer)],
    ['!id-twice-in-turn'],
  ],
  ['two results', [...loop, anthropic.user(answer)], ['!result-twice']],
  [
    'a server result alone',
    [ask, anthropic.assistant(serverResult), ask],
    ['!server-result-without-call'],
  ],
  ['a server call alone', [ask, anthropic.assistant(serverCall), ask], ['server-call-unanswered']],
  ['an empty text', [ask, anthropic.assistant(''), ask], ['!blank-text']],
  [
    'a blank text in a result',
    [...loop.slice(0, 2), anthropic.user(anthropic.result('t1', [{ type: 'text', text: ' ' }]))],
    ['!blank-text'],
  ],
  ['an empty list', [ask, anthropic.assistant(), ask], ['!empty-message', 'empty-content']],
  ['a blank string', [ask, openai.assistant(' '), ask], ['!empty-message', 'empty-content']],
  [
    'a prefill with a space',
    [ask, anthropic.assistant('So: ')],
    ['!prefill-ends-in-space', 'ends-without-user'],
  ],
  [
    'an empty result',
    [...loop.slice(0, 2), anthropic.user(anthropic.result('t1', ''))],
    ['empty-result'],
  ],
  [
    'five cache marks',
    [anthropic.user(marked, marked, marked, marked, marked)],
    ['!too-many-cache-marks'],
  ],
  [
    'thinking without signature',
    [ask, anthropic.assistant({ type: 'thinking', thinking: 'hm' }, 'Yes.'), ask],
    ['!signature-missing'],
  ],
  [
    'thinking alone',
    [ask, anthropic.assistant(anthropic.thinking('hm', 's')), ask],
    ['thinking-alone'],
  ],
]

const asNames = (broken: ReturnType<typeof brokenRules>): string[] =>
  broken.map(({ rule, level }) => (level === 'refused' ? `!${rule}` : rule)).sort()

describe('oracle', () => {
  it.each(openaiRows)('judges OpenAI chat: %s', (_name, messages, broken) => {
    expect(asNames(brokenRules('openai-chat', { messages }))).toEqual([...broken].sort())
  })

  it.each(anthropicRows)('judges Anthropic messages: %s', (_name, messages, broken) => {
    expect(asNames(brokenRules('anthropic-messages', { messages }))).toEqual([...broken].sort())
  })

  it('asks for thinking at the start of the running loop where thinking is on', () => {
    const thinking = { type: 'enabled', budget_tokens: 1024 }
    const thought = [
      ask,
      anthropic.assistant(anthropic.thinking('hm', 's'), call),
      anthropic.user(answer),
    ]
    expect(asNames(refusals('anthropic-messages', { messages: loop, thinking }))).toEqual([
      '!loop-without-thinking',
    ])
    expect(refusals('anthropic-messages', { messages: thought, thinking })).toEqual([])
    expect(refusals('anthropic-messages', { messages: loop })).toEqual([])
  })

  it('notices edited thinking, and thinking that left the open loop', () => {
    const thought = anthropic.assistant(anthropic.thinking('hm', 's'), call)
    const before = [
      ask,
      anthropic.assistant(anthropic.thinking('old', 's0'), 'Yes.'),
      ask,
      thought,
      anthropic.user(answer),
    ]
    const edited = anthropic.assistant(anthropic.thinking('h', 's'), call)
    const names = (after: readonly Native[]): string[] =>
      thinkingChanges(before, after).map(({ rule }) => rule)
    expect(names(before)).toEqual([])
    expect(names([ask, thought, anthropic.user(answer)])).toEqual([])
    expect(names([ask])).toEqual([])
    expect(names([ask, anthropic.assistant(call)])).toEqual(['thinking-dropped-in-loop'])
    expect(names([ask, edited])).toEqual(['thinking-edited', 'thinking-dropped-in-loop'])
  })

  it('lays only what the input did not break at the door of the output', () => {
    const input = { messages: [openai.assistant('Hello.'), task, openai.assistant(''), task] }
    const format = 'openai-chat'
    expect(newlyBroken(format, input, { messages: input.messages.slice(0, 2) })).toEqual([])
    expect(
      asNames(newlyBroken(format, input, { messages: [task, openai.assistant('ok')] })),
    ).toEqual(['ends-without-user'])
    expect(asNames(newlyBroken(format, { messages: [one] }, { messages: [one, task] }))).toEqual([
      '!result-without-call',
    ])
  })
})

describe.skipIf(!hasShared('data/transcripts'))('oracle on recorded truth', () => {
  const files = [
    ['api-anthropic-messages.jsonl', 'anthropic-messages'],
    ['api-openai-chat.jsonl', 'openai-chat'],
    ['api-openai-compatible-chat.jsonl', 'openai-chat'],
  ] as const
  const exchanges = files.flatMap(([file, format]) =>
    readExchanges(file)
      .filter((exchange) => exchange.status === 200)
      .map(
        (exchange, index) =>
          [`${file}#${index} ${exchange.case}`, format, exchange.request] as const,
      ),
  )

  it('reads all 74 accepted histories', () => {
    expect(exchanges).toHaveLength(74)
  })

  it.each(exchanges)('calls %s accepted', (_name, format, request) => {
    expect(refusals(format, request)).toEqual([])
  })
})
