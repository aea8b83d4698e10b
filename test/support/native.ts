/**
 * How the tests read a provider's JSON. Written apart from `src`: what is checked must not check itself.
 * The two formats have no shape in common, so no function here needs to be told which one it reads.
 */

/** Any JSON object, read field by field. */
export type Native = Readonly<Record<string, unknown>>

/** The parts of a provider's request that a compaction reads. */
export interface NativeRequest {
  readonly system?: unknown
  readonly tools?: unknown
  readonly messages: readonly Native[]
}

/** One call of a tool, wherever it stands in its message. */
export interface NativeCall {
  readonly callId: string
  readonly tool: string
  /** The arguments as JSON text: the stored string (OpenAI) or the input written out (Anthropic). */
  readonly argumentsText: string
}

/** One result of a tool call. */
export interface NativeResult {
  readonly callId: string
  readonly texts: readonly string[]
  readonly isError: boolean
}

/** True for anything with fields. */
export function isRecord(value: unknown): value is Native {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The blocks of a message whose content is a list; empty for any other content. */
export function blocksOf(message: Native | undefined): readonly Native[] {
  const content = message?.content
  return Array.isArray(content) ? content.filter(isRecord) : []
}

/** The text of a string or of the text blocks of a list, one item each. */
export function textsOfContent(content: unknown): string[] {
  if (typeof content === 'string') return [content]
  if (!Array.isArray(content)) return []
  return content.filter(isRecord).flatMap((block) => {
    return block.type === 'text' && typeof block.text === 'string' ? [block.text] : []
  })
}

/** The calls that a message makes and owes a result for; those a provider runs itself are not among them. */
export function callsOf(message: Native | undefined): NativeCall[] {
  const fields = Array.isArray(message?.tool_calls) ? message.tool_calls.filter(isRecord) : []
  const blocks = blocksOf(message).filter((block) => block.type === 'tool_use')
  return [...fields.map(callOfField), ...blocks.map(callOfBlock)]
}

function callOfField(call: Native): NativeCall {
  const body = isRecord(call.function) ? call.function : isRecord(call.custom) ? call.custom : {}
  const text = body.arguments ?? body.input
  return {
    callId: String(call.id),
    tool: String(body.name),
    argumentsText: typeof text === 'string' ? text : JSON.stringify(text ?? {}),
  }
}

function callOfBlock(block: Native): NativeCall {
  return {
    callId: String(block.id),
    tool: String(block.name),
    argumentsText: JSON.stringify(block.input ?? {}),
  }
}

/** The results that a message carries. */
export function resultsOf(message: Native | undefined): NativeResult[] {
  if (message?.role === 'tool') {
    const callId = String(message.tool_call_id)
    return [{ callId, texts: textsOfContent(message.content), isError: false }]
  }
  const blocks = blocksOf(message).filter((block) => block.type === 'tool_result')
  return blocks.map((block) => ({
    callId: String(block.tool_use_id),
    texts: textsOfContent(block.content),
    isError: block.is_error === true,
  }))
}

/** True where a person speaks: a user message that is not made of tool results alone. */
export function isRealUserMessage(message: Native): boolean {
  if (message.role !== 'user') return false
  const blocks = blocksOf(message)
  return blocks.length === 0 || blocks.some((block) => block.type !== 'tool_result')
}

/** What a person says in a message: its text without that of the results in it. */
export function spokenTexts(message: Native): string[] {
  return textsOfContent(message.content)
}

/** Each call of a message list by its id; of equal ids the first. */
export function callsById(messages: readonly Native[]): Map<string, NativeCall> {
  const calls = new Map<string, NativeCall>()
  for (const call of messages.flatMap(callsOf))
    if (!calls.has(call.callId)) calls.set(call.callId, call)
  return calls
}

/** Each result of a message list by the id of its call; of equal ids the first. */
export function resultsById(messages: readonly Native[]): Map<string, NativeResult> {
  const results = new Map<string, NativeResult>()
  for (const result of messages.flatMap(resultsOf)) {
    if (!results.has(result.callId)) results.set(result.callId, result)
  }
  return results
}
