import type { Format } from 'tamp'

/** A message as its provider spells it; only its role is known here. */
export interface NativeMessage {
  readonly role: string
  readonly [field: string]: unknown
}

/** What the page holds of one chat. It lives in memory: a reload starts again from the sample. */
export interface Conversation {
  readonly title: string
  readonly format: Format
  /** Where it came from; a file's own request fields are kept as they were. */
  readonly origin: 'sample' | 'new' | 'file'
  readonly messages: readonly NativeMessage[]
  /** Further fields of the request that a file held: `system`, `tools` and whatever else. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** Gives back a chat without messages. */
export function emptyConversation(): Conversation {
  return { title: 'New chat', format: 'openai-chat', origin: 'new', messages: [], fields: {} }
}

/** Gives back the conversation with messages added at its end. */
export function withMessages(
  conversation: Conversation,
  ...added: readonly NativeMessage[]
): Conversation {
  return { ...conversation, messages: [...conversation.messages, ...added] }
}

/** True where the simulator can answer: it speaks OpenAI's format only. */
export function canChat(conversation: Conversation): boolean {
  return conversation.format === 'openai-chat'
}
