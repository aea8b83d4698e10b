import type { Shape } from '../../core/adapter.ts'
import { fieldOf, has, holds, isNamed } from './look.ts'

const SYSTEM_ROLE = /^(?:system|developer)$/u
const OWN_ROLE = /^(?:system|developer|tool|function)$/u
const OWN_BLOCK = /^(?:image_url|input_audio)$/u

/** What a request of OpenAI's Chat Completions looks like. */
export const openaiChatShape: Shape = {
  format: 'openai-chat',
  fields: [
    'model',
    'messages',
    'tools',
    'functions',
    'response_format',
    'max_tokens',
    'max_completion_tokens',
  ],
  listField: 'messages',
  models: /^(?:openai\/)?(?:gpt|o\d|chatgpt)/u,
  recognise: (request) => {
    if (!Array.isArray(request.messages) || has(request, 'system', 'contents')) return 'no'
    const isSure =
      has(request, 'max_completion_tokens', 'response_format') ||
      holds(request.tools, (tool) => has(tool, 'function', 'custom')) ||
      request.messages.some(isOwnMessage)
    return isSure ? 'yes' : 'maybe'
  },
  // Leading system and developer messages are state of the request, not units.
  leadingMessages: (messages) => {
    const first = messages.findIndex((message) => !isNamed(fieldOf(message, 'role'), SYSTEM_ROLE))
    return first === -1 ? messages.length : first
  },
}

function isOwnMessage(message: unknown): boolean {
  const role = fieldOf(message, 'role')
  return (
    has(message, 'tool_calls', 'function_call') ||
    // Most messages are of the two roles that every format has: a whole history is looked through.
    (role !== 'user' && role !== 'assistant' && isNamed(role, OWN_ROLE)) ||
    holds(fieldOf(message, 'content'), (block) => isNamed(fieldOf(block, 'type'), OWN_BLOCK))
  )
}
