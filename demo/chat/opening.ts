import type { Format } from 'tamp'

/** A message as its provider spells it; only its role is known here. */
export interface NativeMessage {
  readonly role: string
  readonly [field: string]: unknown
}

/** What the page itself knows of a conversation; Tamp keeps the messages. */
export interface About {
  /** `undefined` for one that is named by its first words. */
  readonly title: string | undefined
  readonly format: Format
  /** Where it came from; a file's own request fields are kept as they were. */
  readonly origin: 'sample' | 'new' | 'file'
  /** Further fields of the request that a file held: `system`, `tools` and whatever else. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The system messages that a file began with: they belong to the request, not to the conversation. */
  readonly lead: readonly NativeMessage[]
}

/** What a conversation begins with. */
export interface Opening extends About {
  readonly messages: readonly NativeMessage[]
}

/** Gives back what a chat without messages begins with. */
export function emptyOpening(): Opening {
  const about = { title: undefined, format: 'openai-chat', origin: 'new' } as const
  return { ...about, fields: {}, lead: [], messages: [] }
}

/** True where the simulator can answer: it speaks OpenAI's format only. */
export function canChat({ format }: About): boolean {
  return format === 'openai-chat'
}
