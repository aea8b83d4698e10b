import type { Shape } from '../../core/adapter.ts'
import { fieldOf, has, holds, isNamed } from './look.ts'

const OWN_BLOCK =
  /^(?:tool_use|tool_result|thinking|redacted_thinking|image|document|server_tool_use)$/u

/** What a request of Anthropic's Messages looks like. */
export const anthropicMessagesShape: Shape = {
  format: 'anthropic-messages',
  fields: ['model', 'system', 'messages', 'tools', 'max_tokens'],
  listField: 'messages',
  models: /^(?:anthropic\/)?claude/u,
  recognise: (request) => {
    if (!Array.isArray(request.messages) || has(request, 'contents')) return 'no'
    const isSure =
      has(request, 'system', 'thinking') ||
      holds(request.tools, (tool) => has(tool, 'input_schema')) ||
      request.messages.some(isOwnMessage)
    if (isSure) return 'yes'
    return has(request, 'max_tokens') ? 'maybe' : 'no' // the field is required there
  },
  leadingMessages: () => 0,
}

function isOwnMessage(message: unknown): boolean {
  return holds(fieldOf(message, 'content'), (block) => isNamed(fieldOf(block, 'type'), OWN_BLOCK))
}
