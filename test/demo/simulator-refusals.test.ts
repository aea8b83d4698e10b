import { describe, expect, test } from 'vitest'
import { createSimulator } from '../../demo/simulator/simulator.ts'
import { assistant, calling, post, quarterCount, result, toolNamed, user } from './chat-request.ts'

async function errorOf(body: unknown, windowTokens = 8192) {
  const response = await post(body, { windowTokens })
  const { error } = await response.json()
  return { status: response.status, ...error }
}

const ask = (...messages: unknown[]) => ({ model: 'sim-chat', messages })

describe('a request over the window', () => {
  // 3 a message, 1 for the role, 10 for 40 characters, 3 for the answer.
  const messages = [user('x'.repeat(40))]

  test('is refused with the numbers of the messages', async () => {
    expect(await errorOf({ model: 'sim-chat', messages }, 16)).toEqual({
      status: 400,
      message:
        "This model's maximum context length is 16 tokens. However, your messages resulted in 17 tokens. Please reduce the length of the messages.",
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    })
  })

  test('is answered when it just fits', async () => {
    expect((await post({ model: 'sim-chat', messages }, { windowTokens: 17 })).status).toBe(200)
  })

  test('counts the room asked for the answer', async () => {
    const { message } = await errorOf({ model: 'sim-chat', messages, max_tokens: 100 }, 116)
    expect(message).toBe(
      "This model's maximum context length is 116 tokens. However, you requested 117 tokens (17 in the messages, 100 in the completion). Please reduce the length of the messages or completion.",
    )
  })

  test('counts the tools', async () => {
    const tools = [toolNamed('grep')]
    const { message } = await errorOf({ model: 'sim-chat', messages, tools }, 20)
    expect(message).toBe(
      "This model's maximum context length is 20 tokens. However, your messages resulted in 29 tokens (17 in the messages, 12 in the functions). Please reduce the length of the messages or functions.",
    )
  })

  test('names messages, tools and answer together', async () => {
    const body = { model: 'sim-chat', messages, tools: [toolNamed('grep')], max_tokens: 5 }
    expect((await errorOf(body, 20)).message).toBe(
      "This model's maximum context length is 20 tokens. However, you requested 34 tokens (17 in the messages, 12 in the functions, and 5 in the completion). Please reduce the length of the messages, functions, or completion.",
    )
  })

  test('counts an image as OpenAI does in full detail', async () => {
    const content = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }]
    const { message } = await errorOf(ask({ role: 'user', content }), 100)
    expect(message).toContain('your messages resulted in 772 tokens.')
  })
})

describe('an illegal order', () => {
  test.each([
    [
      'a call without a result',
      [
        user('hi'),
        calling(['call_a', 'grep'], ['call_b', 'grep']),
        result('call_a', ''),
        user('so?'),
      ],
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_b",
      'messages.[3].role',
    ],
    [
      'calls in the last message',
      [user('hi'), calling(['call_a', 'grep'])],
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_a",
      'messages.[2].role',
    ],
    [
      'a result without a call',
      [user('hi'), result('call_a', 'x')],
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      'messages.[1].role',
    ],
    [
      'a result of another call',
      [user('hi'), calling(['call_a', 'grep']), result('call_z', 'x')],
      "Invalid parameter: 'tool_call_id' of 'call_z' not found in 'tool_calls' of previous message.",
      'messages.[2].tool_call_id',
    ],
  ])('%s is refused in the words of the provider', async (_, messages, message, param) => {
    expect(await errorOf(ask(...messages))).toEqual({
      status: 400,
      message,
      type: 'invalid_request_error',
      param,
      code: null,
    })
  })

  test('parallel calls with all their results, in any order, are legal', async () => {
    const messages = [
      user('hi'),
      calling(['call_a', 'grep'], ['call_b', 'grep']),
      result('call_b', 'x'),
      result('call_a', 'y'),
      assistant('done'),
      user('thanks'),
    ]
    expect((await post(ask(...messages))).status).toBe(200)
  })
})

describe('a request of the wrong shape', () => {
  test.each([
    ['no JSON', '{', 'We could not parse the JSON body of your request.'],
    ['no model', { messages: [user('hi')] }, 'you must provide a model parameter'],
    ['no messages', { model: 'sim-chat' }, "Missing required parameter: 'messages'."],
    [
      'no message in the list',
      ask(),
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    ],
    [
      'an unknown role',
      ask({ role: 'robot', content: 'hi' }),
      "Invalid value: 'robot'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
    ],
    [
      'content null',
      ask({ role: 'user', content: null }),
      "Invalid value for 'content': expected a string, got null.",
    ],
  ])('%s is refused', async (_, body, message) => {
    expect(await errorOf(body)).toMatchObject({ status: 400, message })
  })

  test('an unknown model is refused with 404', async () => {
    const error = await errorOf({ model: '__proto__', messages: [user('hi')] })
    expect(error).toMatchObject({ status: 404, code: 'model_not_found' })
  })
})

test('lists its models with their window', async () => {
  const simulate = createSimulator({ windowTokens: 4096, countTokens: quarterCount })
  const response = await simulate(new Request('http://simulator.invalid/v1/models'))
  const { data } = await response.json()
  expect(data.map((model: { id: string }) => model.id)).toEqual(['sim-chat', 'sim-agent'])
  expect(data[0].context_length).toBe(4096)
})

test('an unknown path is refused with 404', async () => {
  const simulate = createSimulator({ windowTokens: 4096, countTokens: quarterCount })
  const response = await simulate(new Request('http://simulator.invalid/v1/embeddings'))
  expect(response.status).toBe(404)
})
