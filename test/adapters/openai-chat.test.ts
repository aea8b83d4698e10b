import { describe, expect, it } from 'vitest'
import { adapterFor } from '../../src/adapters/index.ts'
import { readRequest } from '../../src/adapters/read-request.ts'
import { applyEdits, type Edit } from '../../src/core/edit.ts'
import { openai } from '../support/build.ts'
import type { Native } from '../support/native.ts'

const { user, assistant, calls, result, system } = openai
const base = { pass: 't', reason: 't', tokensBefore: 9, tokensAfter: 1 } as const

function read(messages: readonly Native[], more: object = {}) {
  const request = { model: 'gpt-4o', messages, ...more }
  const adapter = adapterFor(request, 'openai-chat')
  const { view, head } = readRequest(adapter, request)
  return {
    view,
    head,
    write: (edits: readonly Edit[]) => adapter.write(request, applyEdits(view, edits)),
  }
}

describe('reading', () => {
  it('takes leading system and developer messages for state of the request', () => {
    const { view, head } = read([
      system('S'),
      { role: 'developer', content: 'D' },
      user('Q'),
      system('later'),
    ])
    expect(head).toMatchObject({ systemText: 'S\nD', systemMessages: 2, model: 'gpt-4o' })
    expect(view.units.map(({ role }) => role)).toEqual(['user', 'system'])
  })

  it('reads text, calls, results, media, reasoning and what it does not know', () => {
    const { view } = read([
      user([
        { type: 'text', text: 'see' },
        openai.image('data:image/png;base64,AAAA'),
        { type: 'x_card', a: 1 },
      ]),
      {
        role: 'assistant',
        content: 'hm',
        reasoning_content: 'why',
        refusal: 'no',
        tool_calls: calls(['a', 'x', { n: 1 }]).tool_calls,
      },
      result('a', [
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ]),
      user([{ type: 'document_url', document_url: 'data:application/pdf;base64,AAAA' }]),
    ])
    expect(view.units.map((unit) => unit.parts.map(({ type }) => type))).toEqual([
      ['text', 'media', 'opaque'],
      ['reasoning', 'text', 'opaque', 'tool-call'],
      ['tool-result'],
      ['media'],
    ])
    expect(view.units[2]?.parts[0]).toMatchObject({
      callId: 'a',
      text: 'one\ntwo',
      isError: undefined,
    })
    expect(view.units[0]?.parts[1]).toMatchObject({ mediaType: 'image/png', bytes: 3 })
  })

  it('pairs legacy function calls with the function message behind them', () => {
    const { view, write } = read([
      user('Q'),
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
      { role: 'function', name: 'f', content: 'long result' },
    ])
    const [call, answer] = [view.units[1]?.parts[0], view.units[2]?.parts[0]]
    expect(call).toMatchObject({ type: 'tool-call', tool: 'f' })
    expect(answer).toMatchObject({
      type: 'tool-result',
      callId: (call as { callId: string }).callId,
    })
    const out = write([{ ...base, type: 'rewrite', seq: 2, part: 0, text: 'short' }])
    expect(out.messages[2]).toEqual({ role: 'function', name: 'f', content: 'short' })
  })

  it('counts reasoning that stands in several fields once', () => {
    const { view } = read([
      user('Q'),
      {
        role: 'assistant',
        content: 'A',
        reasoning: 'why',
        reasoning_details: [{ type: 'reasoning.text', text: 'why' }],
      },
    ])
    expect(view.units[1]?.parts.filter(({ type }) => type === 'reasoning')).toHaveLength(1)
    expect(view.units[1]?.parts[0]).toMatchObject({ signed: true, text: 'why' })
  })
})

describe('writing', () => {
  it('keeps unknown fields and the order of keys of a message that it changes', () => {
    const message = { zeta: 1, role: 'tool', tool_call_id: 'a', content: 'long', alpha: 2 }
    const { write } = read([user('Q'), calls(['a', 'x', {}]), message])
    const out = write([{ ...base, type: 'rewrite', seq: 2, part: 0, text: 'short' }])
    expect(JSON.stringify(out.messages[2])).toBe(
      '{"zeta":1,"role":"tool","tool_call_id":"a","content":"short","alpha":2}',
    )
  })

  it('keeps a string a string and puts an inserted text behind it', () => {
    const { write } = read([user('Task'), assistant('A')])
    const insert: Edit = {
      ...base,
      type: 'insert',
      place: { into: 0, at: 'end' },
      content: { type: 'text', text: 'Checkpoint' },
    }
    expect(write([insert]).messages[0]).toEqual(user('Task\n\nCheckpoint'))
  })

  it('adds a text part to a list, and makes a list where a joined part is no text', () => {
    const image = openai.image('https://x.example/a.png')
    const { write } = read([user('Task'), assistant('A'), user([image]), assistant('B')])
    const removal: Edit = { ...base, type: 'remove', seq: 1 }
    const insert: Edit = {
      ...base,
      type: 'insert',
      place: { into: 0, at: 'end' },
      content: { type: 'text', text: 'C' },
    }
    expect(write([removal, insert]).messages[0]).toEqual(
      user([{ type: 'text', text: 'Task' }, { type: 'text', text: 'C' }, image]),
    )
  })

  it('names the speakers of joined messages where they differ', () => {
    const { write } = read([
      { ...user('Task'), name: 'Ann' },
      assistant('A'),
      { ...user('More'), name: 'Bob' },
    ])
    const out = write([{ ...base, type: 'remove', seq: 1 }])
    expect(out.messages).toEqual([{ ...user('Task\n\n[Bob]\n\nMore'), name: 'Ann' }])
  })

  it('takes reasoning away with all its fields', () => {
    const { write } = read([
      user('Q'),
      { role: 'assistant', reasoning: 'w', reasoning_details: [1], content: 'A' },
    ])
    expect(write([{ ...base, type: 'remove', seq: 1, part: 0 }]).messages[1]).toEqual(
      assistant('A'),
    )
  })

  it('puts a note in the place of an image', () => {
    const { write } = read([
      user([{ type: 'text', text: 'see' }, openai.image('https://x.example/a.png')]),
    ])
    const out = write([{ ...base, type: 'rewrite', seq: 0, part: 1, text: '[gone]' }])
    expect(out.messages[0]).toEqual(
      user([
        { type: 'text', text: 'see' },
        { type: 'text', text: '[gone]' },
      ]),
    )
  })

  it('changes the arguments of one of several calls only', () => {
    const { write } = read([user('Q'), calls(['a', 'x', { n: 1 }], ['b', 'y', { n: 2 }])])
    const out = write([{ ...base, type: 'rewrite', seq: 1, part: 1, text: '{"n":3}' }])
    expect(out.messages[1]).toEqual(calls(['a', 'x', { n: 1 }], ['b', 'y', { n: 3 }]))
  })
})

describe('telling formats apart', () => {
  it.each([
    [{ messages: [{ role: 'system', content: 'S' }] }, 'openai-chat'],
    [{ messages: [user('Q')] }, 'openai-chat'],
    [{ messages: [user('Q')], max_tokens: 1, model: 'gpt-4o' }, 'openai-chat'],
    [{ messages: [user('Q')], max_tokens: 1, model: 'claude-sonnet-4-5' }, 'anthropic-messages'],
    [{ messages: [user('Q')], max_tokens: 1, system: 'S' }, 'anthropic-messages'],
    [
      {
        messages: [
          { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'x', input: {} }] },
        ],
        max_tokens: 1,
      },
      'anthropic-messages',
    ],
  ])('%j', (request, format) => {
    expect(adapterFor(request, undefined).format).toBe(format)
  })

  it.each([
    [{ messages: [user('Q')], max_tokens: 1 }, 'unknown-format'],
    [{ contents: [] }, 'unknown-format'],
    [{}, 'unknown-format'],
    [null, 'invalid-conversation'],
    ['text', 'invalid-conversation'],
    [{ messages: {} }, 'invalid-conversation'],
  ])('refuses %j', (request, code) => {
    expect(() => adapterFor(request, undefined)).toThrow(expect.objectContaining({ code }))
  })

  it('refuses a format that it does not know', () => {
    expect(() => adapterFor({ messages: [] }, 'smoke-signals' as never)).toThrow(
      expect.objectContaining({ code: 'unknown-format' }),
    )
  })
})
