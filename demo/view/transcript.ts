import type { NativeMessage } from '../chat/opening.ts'

/** One piece of a message as the transcript shows it. */
export type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | {
      readonly type: 'call'
      readonly tool: string
      readonly input: string
      readonly result: string | undefined
      readonly isError: boolean
    }
  | { readonly type: 'result'; readonly callId: string; readonly text: string }
  | { readonly type: 'media'; readonly label: string }
  | { readonly type: 'other'; readonly kind: string; readonly text: string }

/** One message in the transcript. Messages that hold only results of shown calls have no row. */
export interface Row {
  /** Position in the conversation, counted from 0. */
  readonly index: number
  readonly role: string
  readonly blocks: readonly Block[]
}

interface Result {
  readonly text: string
  readonly isError: boolean
}

/** Gives back the rows of a conversation of either format; each result is shown with its call. Linear. */
export function transcriptRows(messages: readonly NativeMessage[]): readonly Row[] {
  const results = new Map(messages.flatMap(resultsIn))
  const called = new Set(messages.flatMap(callIdsIn))
  return messages
    .map((message, index) => ({
      index,
      role: message.role,
      blocks: blocksOf(message, results, called),
    }))
    .filter((row) => row.blocks.length > 0)
}

function blocksOf(
  message: NativeMessage,
  results: ReadonlyMap<string, Result>,
  called: ReadonlySet<string>,
): readonly Block[] {
  if (message.role === 'tool') {
    const callId = String(message.tool_call_id)
    return called.has(callId) ? [] : [{ type: 'result', callId, text: textIn(message.content) }]
  }
  const reasoning = message.reasoning_content ?? message.reasoning
  const blocks = partsOf(message.content).flatMap((part) => blockOf(part, results, called))
  const calls = listIn(message.tool_calls).map((call) => openaiCall(call, results))
  return [
    ...(reasoning ? [{ type: 'reasoning' as const, text: String(reasoning) }] : []),
    ...blocks,
    ...calls,
  ]
}

function blockOf(
  part: Readonly<Record<string, unknown>>,
  results: ReadonlyMap<string, Result>,
  called: ReadonlySet<string>,
): readonly Block[] {
  const type = textOf(part.type)
  switch (type) {
    case 'text':
    case 'refusal':
      return part[type] === '' ? [] : [{ type: 'text', text: String(part[type]) }]
    case 'thinking':
      return [{ type: 'reasoning', text: String(part.thinking) }]
    case 'redacted_thinking':
      return [{ type: 'reasoning', text: '(redacted by the provider)' }]
    case 'tool_use':
      return [
        callBlock(
          textOf(part.name),
          JSON.stringify(part.input ?? {}),
          results.get(textOf(part.id)),
        ),
      ]
    case 'tool_result': {
      const callId = String(part.tool_use_id)
      return called.has(callId) ? [] : [{ type: 'result', callId, text: textIn(part.content) }]
    }
    case 'image':
    case 'image_url':
    case 'input_audio':
    case 'file':
    case 'document':
      return [{ type: 'media', label: type.replace('_', ' ') }]
    default:
      return [{ type: 'other', kind: type, text: JSON.stringify(part, undefined, 2) }]
  }
}

function openaiCall(
  call: Readonly<Record<string, unknown>>,
  results: ReadonlyMap<string, Result>,
): Block {
  const called = recordOf(call.function)
  const name = String(called.name ?? call.type)
  return callBlock(name, String(called.arguments ?? ''), results.get(String(call.id)))
}

function callBlock(tool: string, input: string, result: Result | undefined): Block {
  return { type: 'call', tool, input, result: result?.text, isError: result?.isError ?? false }
}

function resultsIn(message: NativeMessage): readonly (readonly [string, Result])[] {
  if (message.role === 'tool') {
    const text = textIn(message.content)
    return [[String(message.tool_call_id), { text, isError: text.startsWith('Error:') }]]
  }
  return partsOf(message.content)
    .filter((part) => part.type === 'tool_result')
    .map((part) => [
      String(part.tool_use_id),
      { text: textIn(part.content), isError: part.is_error === true },
    ])
}

function callIdsIn(message: NativeMessage): readonly string[] {
  const uses = partsOf(message.content).filter((part) => part.type === 'tool_use')
  return [...uses, ...listIn(message.tool_calls)].map((call) => String(call.id))
}

function partsOf(content: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return listIn(content)
}

function textIn(content: unknown): string {
  return partsOf(content)
    .map((part) => (part.type === 'text' ? String(part.text) : `(${String(part.type)})`))
    .join('\n')
}

function listIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(recordOf) : []
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** A file may hold anything in the place of a name. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
