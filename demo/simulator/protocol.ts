/** The part of OpenAI's Chat Completions wire format that the simulator reads and writes. */

export type ChatRole = 'system' | 'developer' | 'user' | 'assistant' | 'tool'

export interface ToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

export interface ContentPart {
  readonly type: string
  readonly text?: string
}

export interface ChatMessage {
  readonly role: ChatRole
  readonly content?: string | null | readonly ContentPart[]
  readonly name?: string
  readonly tool_calls?: readonly ToolCall[]
  readonly tool_call_id?: string
}

export interface ToolDefinition {
  readonly type: 'function'
  readonly function: {
    readonly name: string
    readonly description?: string
    readonly parameters?: unknown
  }
}

export interface ChatRequest {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly tools?: readonly ToolDefinition[]
  readonly stream?: boolean
  readonly stream_options?: { readonly include_usage?: boolean }
  readonly max_tokens?: number
  readonly max_completion_tokens?: number
  /** Chooses among wordings: equal requests with equal seeds get equal answers. */
  readonly seed?: number
}

export interface Usage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
}

export type FinishReason = 'stop' | 'length' | 'tool_calls'

/** Gives back the text of a message: its string, or its text parts joined by line breaks. */
export function textOf(message: ChatMessage): string {
  const { content } = message
  if (typeof content === 'string') return content
  if (content === undefined || content === null) return ''
  return content.flatMap((part) => (part.text === undefined ? [] : [part.text])).join('\n')
}

/** Gives back the room that a request asks for its answer, or `undefined` where it names none. */
export function outputCap(request: ChatRequest): number | undefined {
  return request.max_completion_tokens ?? request.max_tokens
}
