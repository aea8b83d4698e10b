import type { Native } from './native.ts'

/** One-line builders for messages of both formats, for tables of cases. */

const asText = (input: object): string => JSON.stringify(input)

/** OpenAI chat messages. */
export const openai = {
  system: (content: string): Native => ({ role: 'system', content }),
  user: (content: unknown): Native => ({ role: 'user', content }),
  assistant: (content: unknown): Native => ({ role: 'assistant', content }),
  /** An assistant message with one call for each `[id, tool, arguments]`. */
  calls: (...calls: readonly (readonly [string, string, object])[]): Native => ({
    role: 'assistant',
    content: null,
    tool_calls: calls.map(([id, name, input]) => ({
      id,
      type: 'function',
      function: { name, arguments: asText(input) },
    })),
  }),
  result: (callId: string, content: unknown): Native => ({
    role: 'tool',
    tool_call_id: callId,
    content,
  }),
  image: (url: string): Native => ({ type: 'image_url', image_url: { url } }),
} as const

/** Anthropic messages and blocks. */
export const anthropic = {
  user: (...blocks: readonly (string | Native)[]): Native => ({
    role: 'user',
    content: blocks.map(asBlock),
  }),
  assistant: (...blocks: readonly (string | Native)[]): Native => ({
    role: 'assistant',
    content: blocks.map(asBlock),
  }),
  call: (id: string, name: string, input: object): Native => ({
    type: 'tool_use',
    id,
    name,
    input,
  }),
  result: (callId: string, content: unknown, more: object = {}): Native => ({
    type: 'tool_result',
    tool_use_id: callId,
    content,
    ...more,
  }),
  thinking: (thinking: string, signature: string): Native => ({
    type: 'thinking',
    thinking,
    signature,
  }),
} as const

function asBlock(block: string | Native): Native {
  return typeof block === 'string' ? { type: 'text', text: block } : block
}
