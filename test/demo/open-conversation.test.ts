import { describe, expect, test } from 'vitest'
import { openConversation } from '../../demo/files/open-conversation.ts'

function open(content: unknown) {
  return openConversation('chat.json', JSON.stringify(content))
}

describe('a file with a message array', () => {
  test.each([
    ['plain texts', [{ role: 'user', content: 'hi' }], 'openai-chat'],
    [
      'a system message',
      [
        { role: 'system', content: 'x' },
        { role: 'user', content: 'hi' },
      ],
      'openai-chat',
    ],
    ['calls in a field of their own', [{ role: 'assistant', tool_calls: [] }], 'openai-chat'],
    [
      'blocks of calls',
      [{ role: 'assistant', content: [{ type: 'tool_use' }] }],
      'anthropic-messages',
    ],
    [
      'blocks of thinking',
      [{ role: 'assistant', content: [{ type: 'thinking' }] }],
      'anthropic-messages',
    ],
  ])('%s is recognised as %s %s', (_, messages, format) => {
    expect(open(messages)).toMatchObject({
      type: 'conversation',
      opening: { title: 'chat.json', origin: 'file', format, fields: {} },
    })
  })

  test('leading system messages are kept apart: they belong to each request', () => {
    const system = { role: 'system', content: 'Be brief.' }
    const user = { role: 'user', content: 'hi' }
    expect(open([system, user])).toMatchObject({ opening: { lead: [system], messages: [user] } })
  })

  test('an object keeps the other fields of its request', () => {
    const file = { system: 'Be brief.', tools: [], messages: [{ role: 'user', content: 'hi' }] }
    expect(open(file)).toMatchObject({
      opening: { format: 'anthropic-messages', fields: { system: 'Be brief.', tools: [] } },
    })
  })
})

describe('a file that is no conversation is refused in words', () => {
  test.each([
    [
      'no list',
      { turns: [] },
      'chat.json holds no message array: expected [ … ] or { "messages": [ … ] }.',
    ],
    [
      'a text',
      'hello',
      'chat.json holds no message array: expected [ … ] or { "messages": [ … ] }.',
    ],
    ['nothing', null, 'chat.json holds no message array: expected [ … ] or { "messages": [ … ] }.'],
    ['an empty list', [], 'chat.json holds an empty message array.'],
    ['no role', [{ role: 'user', content: '' }, 7], 'chat.json: message 2 of 2 has no role.'],
    [
      'an unknown role',
      [{ role: 'robot' }],
      'chat.json: message 1 of 1 has the unknown role "robot".',
    ],
    [
      'content of another kind',
      [{ role: 'user', content: 7 }],
      'chat.json: message 1 of 1 has content that is neither text nor a list of parts.',
    ],
    [
      'two formats at once',
      [
        { role: 'assistant', content: [{ type: 'tool_use' }] },
        { role: 'tool', content: '' },
      ],
      "chat.json mixes two formats: message 2 is OpenAI's, others are Anthropic's.",
    ],
  ])('%s', (_, content, text) => {
    expect(open(content)).toEqual({ type: 'problem', text })
  })

  test('text that is no JSON', () => {
    const opened = openConversation('notes.txt', 'Dear all,')
    expect(opened).toMatchObject({ type: 'problem' })
    expect(opened.type === 'problem' && opened.text).toMatch(/^notes\.txt is no JSON: /)
  })
})
