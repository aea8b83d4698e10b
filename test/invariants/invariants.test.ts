import { describe, expect, it } from 'vitest'
import { adapterFor } from '../../src/adapters/index.ts'
import { readRequest } from '../../src/adapters/read-request.ts'
import { applyEdits } from '../../src/core/edit.ts'
import { enforcedRules, repairEdits, violations } from '../../src/core/invariant.ts'
import type { Format } from '../../src/core/model.ts'
import { finished } from '../../src/core/sliced.ts'
import { localEngine } from '../../src/entries/local.ts'
import { createTamp } from '../../src/index.ts'
import { defaultInvariants } from '../../src/invariants/index.ts'
import { anthropic, openai } from '../support/build.ts'
import type { Native } from '../support/native.ts'

const { user, assistant, calls, result } = openai
const block = anthropic

function read(format: Format, messages: readonly Native[], more: object = {}) {
  const request = { messages, ...more }
  const adapter = adapterFor(request, format)
  return { request, adapter, view: readRequest(adapter, request).view }
}

function broken(format: Format, messages: readonly Native[], more?: object): string[] {
  const { view } = read(format, messages, more)
  return [...new Set(finished(violations(view, defaultInvariants)).map(({ rule }) => rule))]
}

function repaired(format: Format, messages: readonly Native[], more?: object): readonly Native[] {
  const { request, adapter, view } = read(format, messages, more)
  const { edits } = finished(repairEdits(view, [], enforcedRules(view, defaultInvariants)))
  return adapter.write(request, applyEdits(view, edits)).messages
}

const ask = block.user('Find it.')
const two = block.assistant(block.call('a', 'read', {}), block.call('b', 'read', {}))

describe('rules of Anthropic, each broken and mended', () => {
  const rows: readonly (readonly [
    rule: string,
    messages: readonly Native[],
    mended: readonly Native[],
  ])[] = [
    [
      'calls-are-answered',
      [ask, two, block.user(block.result('a', 'one'), 'Go on.')],
      [
        ask,
        two,
        block.user(
          {
            type: 'tool_result',
            tool_use_id: 'b',
            content: '[no result of this call was recorded]',
            is_error: true,
          },
          block.result('a', 'one'),
          'Go on.',
        ),
      ],
    ],
    [
      'results-have-calls',
      [ask, block.assistant('Yes.'), block.user(block.result('ghost', 'x'), 'Go on.')],
      [ask, block.assistant('Yes.'), block.user('Go on.')],
    ],
    [
      'one-result-a-call',
      [
        ask,
        two,
        block.user(block.result('a', '1'), block.result('b', '2'), block.result('a', '1')),
      ],
      [ask, two, block.user(block.result('a', '1'), block.result('b', '2'))],
    ],
    [
      'call-ids-are-unique',
      [
        ask,
        block.assistant(block.call('a', 'x', {}), block.call('a', 'y', {})),
        block.user(block.result('a', '1'), block.result('a', '2')),
      ],
      [
        ask,
        block.assistant(block.call('a', 'x', {}), block.call('a_2', 'y', {})),
        block.user(block.result('a', '1'), block.result('a_2', '2')),
      ],
    ],
    [
      'results-come-first',
      [ask, two, block.user('Here:', block.result('a', '1'), block.result('b', '2'))],
      [ask, two, block.user(block.result('a', '1'), block.result('b', '2'), 'Here:')],
    ],
    [
      'server-results-have-calls',
      [
        ask,
        block.assistant(
          { type: 'web_search_tool_result', tool_use_id: 'srv', content: [] },
          'Found.',
        ),
        block.user('Ok.'),
      ],
      [ask, block.assistant('Found.'), block.user('Ok.')],
    ],
    [
      'texts-are-not-blank',
      [ask, block.assistant(' \n', 'Yes.'), block.user('Ok.')],
      [ask, block.assistant('Yes.'), block.user('Ok.')],
    ],
    [
      'messages-are-not-empty',
      [ask, { role: 'assistant', content: [] }, block.user('Ok.')],
      [block.user('Find it.', 'Ok.')],
    ],
    [
      'final-text-has-no-trailing-space',
      [ask, block.assistant('The answer is ')],
      [ask, block.assistant('The answer is')],
    ],
    [
      'reasoning-has-a-signature',
      [ask, block.assistant({ type: 'thinking', thinking: 'Hm.' }, 'Yes.'), block.user('Ok.')],
      [ask, block.assistant('Yes.'), block.user('Ok.')],
    ],
  ]

  it.each(rows)('%s', (rule, messages, mended) => {
    expect(broken('anthropic-messages', messages)).toContain(rule)
    expect(repaired('anthropic-messages', messages)).toEqual(mended)
    expect(broken('anthropic-messages', mended)).not.toContain(rule)
  })

  it('calls-are-answered: a system message between call and result does not keep the history from fitting', async () => {
    const log = 'a line of the long log of the run\n'.repeat(60)
    const messages = [
      ask,
      block.assistant(block.call('a', 'run', {})),
      { role: 'system', content: 'From now on be brief.' },
      block.user(block.result('a', log)),
      block.assistant('Done.'),
      block.user('And the next?'),
      block.assistant('Done, too.'),
      block.user('Thanks. What was it?'),
    ]
    const tamp = createTamp({ engine: localEngine() })
    for (const limitTokens of [160, 300, 450]) {
      const { request, report } = await tamp.fit(
        { messages },
        { limitTokens, format: 'anthropic-messages' },
      )
      expect(report.outcome).toBe('compacted')
      expect(broken('anthropic-messages', request.messages)).not.toContain('calls-are-answered')
    }
  })

  it('calls-are-answered: a stand-in in the first user message stays with its call', async () => {
    const words = 'and more words of the answer '.repeat(40)
    const messages = [
      block.assistant(block.call('a', 'run', { cmd: 'test' })),
      block.user('Find it.'),
      block.assistant(words),
      block.user('Go on.'),
    ]
    const tamp = createTamp({ engine: localEngine() })
    const { request, report } = await tamp.fit(
      { messages },
      { limitTokens: 200, format: 'anthropic-messages' },
    )
    expect(report.outcome).toBe('compacted')
    expect(broken('anthropic-messages', request.messages)).toEqual(['request-starts-with-the-user'])
  })

  it('at-most-four-cache-marks: the newest stay, and none on reasoning', () => {
    const marked = (text: string) => ({ type: 'text', text, cache_control: { type: 'ephemeral' } })
    const messages = [
      block.user(marked('1')),
      block.assistant(marked('2')),
      block.user(marked('3')),
      block.assistant(marked('4')),
      block.user(marked('5')),
    ]
    const system = [marked('S')]
    expect(broken('anthropic-messages', messages, { system })).toContain('at-most-four-cache-marks')
    const out = repaired('anthropic-messages', messages, { system })
    expect(out.map((message) => JSON.stringify(message).includes('cache_control'))).toEqual([
      false,
      false,
      true,
      true,
      true,
    ])
  })

  it('messages-say-something: an answer of reasoning alone goes once a compaction is due', () => {
    const messages = [ask, block.assistant(block.thinking('Hm.', 'sig')), block.user('Well?')]
    const { request, adapter, view } = read('anthropic-messages', messages)
    expect(broken('anthropic-messages', messages)).toContain('messages-say-something')
    const { edits } = finished(repairEdits(view, [], defaultInvariants))
    expect(adapter.write(request, applyEdits(view, edits)).messages).toEqual([
      block.user('Find it.', 'Well?'),
    ])
  })

  it('tool-loop-keeps-reasoning: a call of the running loop does not lose its thinking', () => {
    const loop = [
      ask,
      block.assistant(block.thinking('Hm.', 'sig'), block.call('a', 'x', {})),
      block.user(block.result('a', '1')),
    ]
    const { view } = read('anthropic-messages', loop)
    const removal = {
      type: 'remove',
      seq: 1,
      part: 0,
      pass: 't',
      reason: 't',
      tokensBefore: 1,
      tokensAfter: 0,
    } as const
    const after = applyEdits(view, [removal])
    expect(finished(violations(after, defaultInvariants)).map(({ rule }) => rule)).toEqual([
      'tool-loop-keeps-reasoning',
    ])
  })

  it('tool-loop-keeps-reasoning: also where a fold joins the newest message to results', async () => {
    const words = 'and more words of the answer '.repeat(30)
    const messages = [
      block.assistant(block.thinking('Look first.', 'sig'), block.call('a', 'x', {})),
      block.user('Find the gate.'),
      block.user(block.result('a', 'error: no such file', { is_error: true })),
      block.assistant(block.thinking('Again.', 'sig'), words),
      block.user('And?'),
      block.assistant(block.thinking('Once more.', 'sig'), words),
      block.user('Which gate?'),
    ]
    const tamp = createTamp({ engine: localEngine() })
    const options = { limitTokens: 260, format: 'anthropic-messages' } as const
    const { request, report } = await tamp.fit({ messages }, options)
    expect(report).toMatchObject({ outcome: 'compacted' })
    expect(JSON.stringify(request.messages[0])).toContain('Look first.')
  })

  it('request-ends-with-the-user: the note that mends it does not keep a history from fitting', async () => {
    const words = 'and more words of the answer '.repeat(40)
    const messages = [assistant(words), assistant(words), result('ghost', 'of a lost call')]
    const tamp = createTamp({ engine: localEngine() })
    const options = { limitTokens: 300, format: 'openai-chat' } as const
    const { request, report } = await tamp.fit({ messages }, options)
    expect(report.outcome).toBe('compacted')
    expect(request.messages.at(-1)?.role).toBe('user')
  })

  it('signed-reasoning-is-whole: no edit can change a signed block', () => {
    const { view } = read('anthropic-messages', [
      ask,
      block.assistant(block.thinking('Hm.', 'sig'), 'Yes.'),
    ])
    const edit = {
      type: 'rewrite',
      seq: 1,
      part: 0,
      text: 'H',
      pass: 't',
      reason: 't',
      tokensBefore: 1,
      tokensAfter: 0,
    } as const
    expect(() => applyEdits(view, [edit])).toThrow(RangeError)
    const part = view.units[1]?.parts[0]
    const changed = {
      ...view,
      units: view.units.map((unit) =>
        unit.seq === 1 ? { ...unit, parts: [{ ...part, text: 'other' } as never] } : unit,
      ),
    }
    expect(finished(violations(changed, defaultInvariants)).map(({ rule }) => rule)).toContain(
      'signed-reasoning-is-whole',
    )
  })

  it('request-ends-with-the-user: a note stands where a repair took the last message', () => {
    const messages = [ask, block.assistant('Yes.'), block.user(block.result('ghost', 'x'))]
    expect(repaired('anthropic-messages', messages).at(-1)).toEqual({
      role: 'user',
      content: '[the newest message held nothing that can be sent]',
    })
    expect(broken('anthropic-messages', [ask, block.assistant('A prefill is meant')])).toEqual([])
  })

  it('limits: the body, the number of messages', () => {
    const big = block.user({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(44_000_000) },
    })
    expect(broken('anthropic-messages', [big])).toContain('body-has-a-limit')
    const many = Array.from({ length: 100_001 }, () => ask)
    expect(broken('anthropic-messages', many)).toContain('messages-have-a-limit')
  })
})

describe('rules of OpenAI chat, each broken and mended', () => {
  const pair = calls(['a', 'x', {}], ['b', 'y', {}])
  const rows: readonly (readonly [
    rule: string,
    messages: readonly Native[],
    mended: readonly Native[],
  ])[] = [
    [
      'calls-are-answered',
      [user('Q'), pair, result('a', '1'), user('And?')],
      [
        user('Q'),
        pair,
        result('b', '[no result of this call was recorded]'),
        result('a', '1'),
        user('And?'),
      ],
    ],
    [
      'calls-are-answered',
      [user('Q'), calls(['a', 'x', {}]), user('Hurry.'), result('a', '1'), user('And?')],
      [user('Q'), calls(['a', 'x', {}]), result('a', '1'), user('Hurry.\n\nAnd?')],
    ],
    [
      'results-have-calls',
      [user('Q'), assistant('A'), result('ghost', '1'), user('And?')],
      [user('Q'), assistant('A'), user('And?')],
    ],
  ]

  it.each(rows)('%s', (rule, messages, mended) => {
    expect(broken('openai-chat', messages)).toContain(rule)
    expect(repaired('openai-chat', messages)).toEqual(mended)
  })

  it('answers an id that stands twice in one turn once', () => {
    const messages = [user('Q'), calls(['a', 'x', {}], ['a', 'x', {}]), user('And?')]
    expect(repaired('openai-chat', messages).filter(({ role }) => role === 'tool')).toHaveLength(1)
  })

  it('leaves an id alone that a later turn uses again', () => {
    const messages = [
      user('Q'),
      calls(['a', 'x', {}]),
      result('a', '1'),
      calls(['a', 'x', {}]),
      result('a', '2'),
      user('And?'),
    ]
    expect(broken('openai-chat', messages)).toEqual([])
  })

  it('leaves calls at the end open: they are about to run', () => {
    expect(broken('openai-chat', [user('Q'), pair])).toEqual([])
  })

  it.each([
    ['texts-are-well-formed', [user('half \ud83d')]],
    ['roles-alternate', [user('Q'), user('And?')]],
    ['request-starts-with-the-user', [assistant('Hi.'), user('Q')]],
    [
      'arguments-are-objects',
      [
        user('Q'),
        {
          role: 'assistant',
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'x', arguments: '{"cut' } }],
        },
      ],
    ],
    ['results-are-not-empty', [user('Q'), calls(['a', 'x', {}]), result('a', '')]],
    [
      'media-is-in-user-messages',
      [user('Q'), calls(['a', 'x', {}]), result('a', [openai.image('https://x.example/a.png')])],
    ],
    ['strings-have-a-limit', [user('x'.repeat(10_485_761))]],
  ])('%s is seen', (rule, messages) => {
    expect(broken('openai-chat', messages)).toContain(rule)
  })
})
