/**
 * The model that passes, invariants and strategies read: units made of parts, and views made of units.
 * Adapters read a provider's messages into it and write it back; the native messages stay as they were.
 */

/** The wire formats Tamp reads and writes. */
export type Format = 'openai-chat' | 'anthropic-messages'

/** Who speaks a unit. `tool` exists only where results are messages of their own (OpenAI chat). */
export type Role = 'system' | 'user' | 'assistant' | 'tool'

interface PartBase {
  /** `seq` of the unit it was read from; -1 for a part that an edit inserted. It stays when the part moves. */
  readonly seq: number
  /** Position among the parts of that unit; -1 for a part that an edit inserted. */
  readonly index: number
  /** The original part, where an edit changed it. */
  readonly was?: Part
  /** True where the native block ends a cached prefix (`cache_control`). */
  readonly cacheMark?: boolean
}

/** Plain text, of a person, the model or the app. */
export interface TextPart extends PartBase {
  readonly type: 'text'
  readonly text: string
}

/** The model's reasoning. A signed one is bound to its bytes: it stays as it is or goes whole. */
export interface ReasoningPart extends PartBase {
  readonly type: 'reasoning'
  /** Empty where the provider redacted it. */
  readonly text: string
  /** True where the provider checks a signature over the text, or encrypted it. */
  readonly signed: boolean
  /** The signature or the encrypted content itself; empty where there is none. */
  readonly signature: string
}

/** A request by the model to run a tool. */
export interface ToolCallPart extends PartBase {
  readonly type: 'tool-call'
  readonly callId: string
  readonly tool: string
  /** The arguments as JSON text, in the native spelling where the format holds a string. */
  readonly input: string
}

/** The answer to a tool call. */
export interface ToolResultPart extends PartBase {
  readonly type: 'tool-result'
  readonly callId: string
  readonly text: string
  /** The format's own flag; `undefined` where the format has none (OpenAI chat). */
  readonly isError: boolean | undefined
}

/** An image, a file or a sound, in a message or inside a result. */
export interface MediaPart extends PartBase {
  readonly type: 'media'
  readonly mediaType: string
  readonly name: string | undefined
  /** Size of the encoded content in bytes; 0 where only a URL is known. */
  readonly bytes: number
  /** What tells it from another: its encoded content, its URL or its id. */
  readonly content: string
  /** Index of the result that holds it; `undefined` for media of the message itself. */
  readonly inside: number | undefined
}

/** Anything an adapter does not know: counted, never edited, stays or goes whole with its unit. */
export interface OpaquePart extends PartBase {
  readonly type: 'opaque'
  readonly kind: string
  /** What is counted for it: its JSON. */
  readonly text: string
  /** Index of the result that holds it; `undefined` for a part of the message itself. */
  readonly inside: number | undefined
  /** Set for calls and results that the provider runs itself and that pair inside one message. */
  readonly server?: { readonly role: 'call' | 'result'; readonly callId: string }
}

/** One piece of a unit. */
export type Part = TextPart | ReasoningPart | ToolCallPart | ToolResultPart | MediaPart | OpaquePart

/** The smallest thing that may be cut or may grow: here, one message. */
export interface Unit {
  /** Position in the history; -1 for a unit that an edit inserted. */
  readonly seq: number
  readonly role: Role
  /** The speaker's name, where the message carries one. */
  readonly name: string | undefined
  readonly parts: readonly Part[]
  /** The provider's own message, untouched. `undefined` for a unit that an edit inserted. */
  readonly native: unknown
  /** The original unit, where an edit changed, removed or added one of the parts. */
  readonly was?: Unit
  /** True when an edit made it the neighbour of a user-side unit and the two are sent as one message. */
  readonly joined?: boolean
}

/** How a format puts messages together; what invariants need to know of it. */
export interface Dialect {
  /** Neighbours of one role count as one turn (Anthropic merges them). */
  readonly mergesTurns: boolean
  /** The role of the message that holds results. */
  readonly resultRole: 'user' | 'tool'
  /** Whether the provider takes reasoning back only under its own signature. */
  readonly signsReasoning: boolean
}

/** What one history projects to: the units the model would be sent, system text and tools apart. */
export interface View {
  readonly format: Format
  readonly dialect: Dialect
  readonly units: readonly Unit[]
  /** The units before any edit, oldest first, their `seq` ascending. */
  readonly originals: readonly Unit[]
  /** Cache marks on system text and tools, which no edit reaches. */
  readonly headCacheMarks: number
  /**
   * Number of originals, from the oldest, among which edits join neighbours of one side; `undefined` means all. What
   * arrived after a compaction is joined to nothing, so that each later request continues the earlier one byte for
   * byte. A new compaction is started without it: it may join everything afresh.
   */
  readonly joinDepth?: number
}

/** True for a unit in which a person speaks: a user message that is not made of results alone. */
export function isUserMessage(unit: Unit): boolean {
  return unit.role === 'user' && unit.parts.some((part) => !isResultContent(part))
}

/** True for a unit that carries results of tool calls. */
export function hasResults(unit: Unit): boolean {
  return unit.parts.some((part) => part.type === 'tool-result')
}

/** True for a unit that calls tools. */
export function hasCalls(unit: Unit): boolean {
  return unit.parts.some((part) => part.type === 'tool-call')
}

/** True for parts that belong to the result of a call: the result itself and what stands inside it. */
export function isResultContent(part: Part): boolean {
  const place = part.was ?? part
  return place.type === 'tool-result' || ('inside' in place && place.inside !== undefined)
}

/** Gives back a result with the media and unknown blocks inside it. */
export function resultWithContent(parts: readonly Part[], result: Part): readonly Part[] {
  return parts.filter((part) => {
    const place = part.was ?? part
    return (
      part === result ||
      ('inside' in place && place.inside === result.index && part.seq === result.seq)
    )
  })
}

/** The text of a part as the model reads it; empty for media. */
export function textOf(part: Part): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
    case 'tool-result':
    case 'opaque':
      return part.text
    case 'tool-call':
      return part.input
    case 'media':
      return ''
    default:
      return part satisfies never
  }
}
