/** Builders for the tests of the simulator. */
import type { ChatMessage, ToolDefinition } from '../../demo/simulator/protocol.ts'
import { createSimulator, type SimulatorOptions } from '../../demo/simulator/simulator.ts'

/** Four characters a token, rounded up: fixed numbers that a reader can check by hand. */
export function quarterCount(text: string): number {
  return Math.ceil(text.length / 4)
}

export const user = (content: string): ChatMessage => ({ role: 'user', content })

export const assistant = (content: string): ChatMessage => ({ role: 'assistant', content })

export const result = (callId: string, content: string): ChatMessage => ({
  role: 'tool',
  tool_call_id: callId,
  content,
})

export function calling(
  ...calls: readonly (readonly [id: string, tool: string, input?: object])[]
) {
  return {
    role: 'assistant' as const,
    content: null,
    tool_calls: calls.map(([id, name, input = {}]) => ({
      id,
      type: 'function' as const,
      function: { name, arguments: JSON.stringify(input) },
    })),
  }
}

export function toolNamed(name: string): ToolDefinition {
  return { type: 'function', function: { name } }
}

/** Posts a body to a fresh simulator with a window of 8,192 tokens, unless the options say otherwise. */
export function post(body: unknown, options: Partial<SimulatorOptions> = {}): Promise<Response> {
  const simulate = createSimulator({ windowTokens: 8192, countTokens: quarterCount, ...options })
  return simulate(chatRequest(body))
}

export function chatRequest(body: unknown, init: RequestInit = {}): Request {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const url = 'http://simulator.invalid/v1/chat/completions'
  return new Request(url, { method: 'POST', body: text, ...init })
}

/** Posts messages to one persona and gives back the assistant message of the answer. */
export async function reply(
  messages: readonly ChatMessage[],
  {
    model = 'sim-chat',
    ...more
  }: { model?: string; tools?: readonly ToolDefinition[]; max_tokens?: number } = {},
  options: Partial<SimulatorOptions> = {},
) {
  const response = await post({ model, messages, ...more }, options)
  const body = await response.json()
  if (response.status !== 200) throw new Error(JSON.stringify(body))
  return body.choices[0].message
}
