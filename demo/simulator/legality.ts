import type { ChatMessage } from './protocol.ts'
import { invalidRequest, type Refusal } from './refusal.ts'

/**
 * Gives back OpenAI's refusal for the first call without a result or result without a call, or
 * `undefined` for a legal order.
 *
 * Messages as reported, indexes counted from 0 over the whole array: calls in
 * router-for-me/CLIProxyAPI#2798, results in smarter-sh/smarter#264 (the misspelling is theirs),
 * unknown ids in dapr/dapr-agents#145.
 */
export function orderRefusal(messages: readonly ChatMessage[]): Refusal | undefined {
  let open: readonly string[] = []
  let known: readonly string[] | undefined
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      const refusal = resultRefusal(message, known, index)
      if (refusal !== undefined) return refusal
      open = open.filter((id) => id !== message.tool_call_id)
      continue
    }
    if (open.length > 0) return missingResults(open, index)
    known = message.tool_calls?.map((call) => call.id)
    open = known ?? []
  }
  return open.length > 0 ? missingResults(open, messages.length) : undefined
}

function resultRefusal(
  message: ChatMessage,
  known: readonly string[] | undefined,
  index: number,
): Refusal | undefined {
  if (known === undefined) {
    const text =
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
    return invalidRequest(text, `messages.[${index}].role`)
  }
  const callId = message.tool_call_id
  if (callId !== undefined && known.includes(callId)) return undefined
  const text = `Invalid parameter: 'tool_call_id' of '${callId}' not found in 'tool_calls' of previous message.`
  return invalidRequest(text, `messages.[${index}].tool_call_id`)
}

function missingResults(callIds: readonly string[], index: number): Refusal {
  const text =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
    `The following tool_call_ids did not have response messages: ${callIds.join(', ')}`
  return invalidRequest(text, `messages.[${index}].role`)
}
