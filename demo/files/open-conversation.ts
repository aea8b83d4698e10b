import type { Format } from 'tamp'
import type { NativeMessage, Opening } from '../chat/opening.ts'

/** What a file turned out to be: a conversation, or why it is none, in words for the person. */
export type OpenedFile =
  | { readonly type: 'conversation'; readonly opening: Opening }
  | { readonly type: 'problem'; readonly text: string }

const roles = ['system', 'developer', 'user', 'assistant', 'tool']

/** Block types of content that exist in Anthropic's Messages format alone. */
const anthropicBlocks = [
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
  'document',
  'image',
]

/** Part types of content that exist in OpenAI's Chat Completions format alone. */
const openaiParts = ['image_url', 'input_audio', 'file', 'refusal']

/**
 * Reads a JSON file that holds a message array, or an object with `messages` and what else its request
 * had (`system`, `tools`, …). A history of plain texts is taken for OpenAI's format.
 */
export function openConversation(name: string, text: string): OpenedFile {
  const parsed = parse(text)
  if (parsed instanceof Error) return problem(`${name} is no JSON: ${parsed.message}`)
  const { messages, ...fields } = Array.isArray(parsed) ? { messages: parsed } : recordOf(parsed)
  if (!Array.isArray(messages)) {
    return problem(`${name} holds no message array: expected [ … ] or { "messages": [ … ] }.`)
  }
  if (messages.length === 0) return problem(`${name} holds an empty message array.`)
  const fault = firstFault(messages)
  if (fault !== undefined) return problem(`${name}: ${fault}`)
  // `firstFault` found an object with a known role at each place.
  return withFormat(name, messages as readonly NativeMessage[], fields)
}

function withFormat(
  name: string,
  messages: readonly NativeMessage[],
  fields: Readonly<Record<string, unknown>>,
): OpenedFile {
  const isAnthropic = fields.system !== undefined || messages.some(looksAnthropic)
  const openai = messages.findIndex(looksOpenai)
  if (isAnthropic && openai >= 0) {
    return problem(
      `${name} mixes two formats: message ${openai + 1} is OpenAI's, others are Anthropic's.`,
    )
  }
  const format: Format = isAnthropic ? 'anthropic-messages' : 'openai-chat'
  const about = { title: name, format, origin: 'file', fields } as const
  return { type: 'conversation', opening: { ...about, ...splitLead(messages) } }
}

function splitLead(messages: readonly NativeMessage[]) {
  const first = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  const leading = first < 0 ? messages.length : first
  return { lead: messages.slice(0, leading), messages: messages.slice(leading) }
}

function firstFault(messages: readonly unknown[]): string | undefined {
  for (const [index, message] of messages.entries()) {
    const { role, content } = recordOf(message)
    const at = `message ${index + 1} of ${messages.length}`
    if (typeof role !== 'string') return `${at} has no role.`
    if (!roles.includes(role)) return `${at} has the unknown role "${role}".`
    const isKnown =
      content === undefined ||
      content === null ||
      typeof content === 'string' ||
      Array.isArray(content)
    if (!isKnown) return `${at} has content that is neither text nor a list of parts.`
  }
  return undefined
}

function looksAnthropic({ content }: NativeMessage): boolean {
  return typesIn(content).some((type) => anthropicBlocks.includes(type))
}

function looksOpenai(message: NativeMessage): boolean {
  const isOpenaiRole = ['system', 'developer', 'tool'].includes(message.role)
  const hasCalls = message.tool_calls !== undefined
  return (
    isOpenaiRole || hasCalls || typesIn(message.content).some((type) => openaiParts.includes(type))
  )
}

function typesIn(content: unknown): readonly string[] {
  if (!Array.isArray(content)) return []
  return content.map((part: unknown) => {
    const { type } = recordOf(part)
    return typeof type === 'string' ? type : ''
  })
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // No JSON is an expected outcome; the words of the parser say where it ends.
    return error instanceof Error ? error : new Error(String(error))
  }
}

function problem(text: string): OpenedFile {
  return { type: 'problem', text }
}
