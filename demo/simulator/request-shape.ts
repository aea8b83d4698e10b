import type { ChatRequest } from './protocol.ts'
import { invalidRequest, type Refusal } from './refusal.ts'

const roles = ['system', 'assistant', 'user', 'function', 'tool', 'developer']

/** Reads the body of a request, or says in OpenAI's words why it is none. */
export function parseRequest(body: string): ChatRequest | Refusal {
  const parsed = parseJson(body)
  if (!isRecord(parsed)) {
    return invalidRequest('We could not parse the JSON body of your request.', null)
  }
  if (typeof parsed.model !== 'string') {
    return invalidRequest('you must provide a model parameter', null)
  }
  const refusal = messagesRefusal(parsed.messages) ?? toolsRefusal(parsed.tools)
  if (refusal !== undefined) return refusal
  // The fields that the simulator reads were checked above; all others are ignored as by the provider.
  return parsed as unknown as ChatRequest
}

function messagesRefusal(messages: unknown): Refusal | undefined {
  if (messages === undefined) {
    return invalidRequest(
      "Missing required parameter: 'messages'.",
      'messages',
      'missing_required_parameter',
    )
  }
  if (!Array.isArray(messages)) {
    return invalidRequest(
      "Invalid type for 'messages': expected an array of objects.",
      'messages',
      'invalid_type',
    )
  }
  if (messages.length === 0) {
    return invalidRequest(
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      'messages',
      'empty_array',
    )
  }
  return firstRefusal(messages, messageRefusal)
}

function messageRefusal(message: unknown, index: number): Refusal | undefined {
  const at = `messages[${index}]`
  if (!isRecord(message)) {
    return invalidRequest(`Invalid type for '${at}': expected an object.`, at, 'invalid_type')
  }
  const role = message.role
  if (typeof role !== 'string' || !roles.includes(role)) {
    const supported = "'system', 'assistant', 'user', 'function', 'tool', and 'developer'"
    const text = `Invalid value: '${String(role)}'. Supported values are: ${supported}.`
    return invalidRequest(text, `${at}.role`, 'invalid_value')
  }
  return contentRefusal(message, at) ?? callsRefusal(message.tool_calls, `${at}.tool_calls`)
}

function contentRefusal(message: Record<string, unknown>, at: string): Refusal | undefined {
  const content = message.content
  if (typeof content === 'string' || isPartList(content)) return undefined
  // Only an assistant message that calls tools may come without content.
  const mayBeEmpty = message.role === 'assistant' && Array.isArray(message.tool_calls)
  if (mayBeEmpty && (content === null || content === undefined)) return undefined
  const got = content === null ? 'null' : typeof content
  const text = `Invalid value for 'content': expected a string, got ${got}.`
  return invalidRequest(text, `${at}.content`)
}

function callsRefusal(calls: unknown, at: string): Refusal | undefined {
  if (calls === undefined) return undefined
  if (!Array.isArray(calls)) {
    return invalidRequest(
      `Invalid type for '${at}': expected an array of objects.`,
      at,
      'invalid_type',
    )
  }
  return firstRefusal(calls, (call, index) => {
    if (isToolCall(call)) return undefined
    const place = `${at}[${index}]`
    return invalidRequest(`Invalid '${place}': expected a function call.`, place, 'invalid_type')
  })
}

function toolsRefusal(tools: unknown): Refusal | undefined {
  if (tools === undefined) return undefined
  const valid = Array.isArray(tools) && tools.every(isToolDefinition)
  if (valid) return undefined
  return invalidRequest(
    "Invalid type for 'tools': expected an array of functions.",
    'tools',
    'invalid_type',
  )
}

function firstRefusal(
  items: readonly unknown[],
  check: (item: unknown, index: number) => Refusal | undefined,
): Refusal | undefined {
  for (const [index, item] of items.entries()) {
    const refusal = check(item, index)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

function isPartList(content: unknown): boolean {
  return Array.isArray(content) && content.every((part) => isRecord(part) && isPart(part))
}

function isPart(part: Record<string, unknown>): boolean {
  return part.type === 'text' ? typeof part.text === 'string' : typeof part.type === 'string'
}

function isToolCall(call: unknown): boolean {
  if (!isRecord(call) || typeof call.id !== 'string' || !isRecord(call.function)) return false
  const { name, arguments: input } = call.function
  return typeof name === 'string' && typeof input === 'string'
}

function isToolDefinition(tool: unknown): boolean {
  return isRecord(tool) && isRecord(tool.function) && typeof tool.function.name === 'string'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    // No JSON is an expected outcome here: the caller answers it with the provider's refusal.
    return undefined
  }
}
