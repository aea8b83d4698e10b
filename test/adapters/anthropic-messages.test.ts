import { describe, expect, it } from 'vitest'
import { adapterFor } from '../../src/adapters/index.ts'
import { readRequest } from '../../src/adapters/read-request.ts'
import { applyEdits, type Edit } from '../../src/core/edit.ts'
import { anthropic } from '../support/build.ts'
import type { Native } from '../support/native.ts'

const { user, assistant, call, result, thinking } = anthropic
const base = { pass: 't', reason: 't', tokensBefore: 9, tokensAfter: 1 } as const
const mark = { cache_control: { type: 'ephemeral' } }
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }

function read(messages: readonly Native[], more: object = {}) {
  const request = { model: 'claude-sonnet-4-5', max_tokens: 10, messages, ...more }
  const adapter = adapterFor(request, 'anthropic-messages')
  const { view, head } = readRequest(adapter, request)
  return {
    view,
    head,
    write: (edits: readonly Edit[]) => adapter.write(request, applyEdits(view, edits)),
  }
}

const checkpoint: Edit = {
  ...base,
  type: 'insert',
  place: { into: 0, at: 'end' },
  content: { type: 'text', text: 'C' },
}

describe('reading', () => {
  it('reads system text, tools and the marks on them', () => {
    const { head, view } = read([user('Q')], {
      system: [{ type: 'text', text: 'S', ...mark }],
      tools: [{ name: 'x', input_schema: {}, ...mark }],
    })
    expect(head.systemText).toBe('S')
    expect(head.toolsText).toContain('"input_schema"')
    expect(view.headCacheMarks).toBe(2)
  })

  it('reads thinking, calls, server tools, and media inside results', () => {
    const { view } = read([
      user('Q'),
      assistant(
        thinking('why', 'sig'),
        { type: 'redacted_thinking', data: 'x' },
        { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
        { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
        call('a', 'x', { n: 1 }),
      ),
      user(
        result(
          'a',
          [{ type: 'text', text: 'one' }, image, { type: 'tool_reference', tool_name: 'y' }],
          { is_error: true },
        ),
        'and?',
      ),
    ])
    expect(view.units.map((unit) => unit.parts.map(({ type }) => type))).toEqual([
      ['text'],
      ['reasoning', 'reasoning', 'opaque', 'opaque', 'tool-call'],
      ['tool-result', 'media', 'opaque', 'text'],
    ])
    expect(view.units[1]?.parts[2]).toMatchObject({ server: { role: 'call', callId: 's' } })
    expect(view.units[2]?.parts[0]).toMatchObject({ isError: true, text: 'one' })
    expect(view.units[2]?.parts[1]).toMatchObject({ inside: 0 })
  })

  it('counts a document of plain text as the text it is', () => {
    const { view } = read([
      user({ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' } }),
    ])
    expect(view.units[0]?.parts[0]).toMatchObject({ type: 'opaque' })
  })
})

describe('writing', () => {
  it('moves a cache mark from the last block of the head to what is appended there', () => {
    const { write } = read([user({ type: 'text', text: 'Task', ...mark }), assistant('A')])
    expect(write([checkpoint]).messages[0]).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'Task' },
        { type: 'text', text: 'C', ...mark },
      ],
    })
  })

  it('keeps string content a string', () => {
    const { write } = read([{ role: 'user', content: 'Task' }, assistant('A')])
    expect(write([checkpoint]).messages[0]).toEqual({ role: 'user', content: 'Task\n\nC' })
  })

  it('shortens a result and keeps the image inside it', () => {
    const { write } = read([
      user('Q'),
      assistant(call('a', 'x', {})),
      user(result('a', [{ type: 'text', text: 'long' }, image])),
    ])
    const out = write([{ ...base, type: 'rewrite', seq: 2, part: 0, text: 'short' }])
    expect(out.messages[2]).toEqual(user(result('a', [{ type: 'text', text: 'short' }, image])))
  })

  it('puts a note in the place of an image inside a result', () => {
    const { write } = read([
      user('Q'),
      assistant(call('a', 'x', {})),
      user(result('a', [{ type: 'text', text: 'seen' }, image])),
    ])
    const out = write([{ ...base, type: 'rewrite', seq: 2, part: 1, text: '[gone]' }])
    expect(out.messages[2]).toEqual(
      user(
        result('a', [
          { type: 'text', text: 'seen' },
          { type: 'text', text: '[gone]' },
        ]),
      ),
    )
  })

  it('changes arguments as an object', () => {
    const { write } = read([user('Q'), assistant(call('a', 'x', { text: 'long' }))])
    const out = write([{ ...base, type: 'rewrite', seq: 1, part: 0, text: '{"text":"s"}' }])
    expect(out.messages[1]).toEqual(assistant(call('a', 'x', { text: 's' })))
  })

  it('takes thinking away whole and leaves the rest untouched', () => {
    const text = { type: 'text', text: 'A', ...mark }
    const { write } = read([user('Q'), assistant(thinking('why', 'sig'), text), user('Next')])
    const out = write([{ ...base, type: 'remove', seq: 1, part: 0 }])
    expect(out.messages[1]).toEqual(assistant(text))
  })

  it('joins user messages that an edit made neighbours, and no others', () => {
    const messages = [user('Task'), user('More'), assistant('A'), user('Next')]
    const { write } = read(messages)
    const out = write([{ ...base, type: 'remove', seq: 2 }])
    expect(out.messages).toEqual([user('Task'), user('More', 'Next')])
    expect(out.messages[0]).toBe(messages[0])
  })

  it('moves the media of the newest request into the head when its message is folded', () => {
    const { write } = read([
      user('Task'),
      assistant('A'),
      user(image, 'What is this?'),
      assistant(call('a', 'x', {})),
      user(result('a', '1')),
    ])
    const edits: Edit[] = [
      { ...base, type: 'remove', seq: 1 },
      { ...base, type: 'remove', seq: 2 },
      { ...base, type: 'move', seq: 2, part: 0, place: { into: 0, at: 'end' } },
    ]
    expect(write(edits).messages[0]).toEqual(user('Task', image))
  })
})
