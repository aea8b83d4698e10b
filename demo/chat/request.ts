import type { Conversation, NativeMessage } from './conversation.ts'
import type { PersonaChoice } from './persona.ts'
import { answerTokens } from './window.ts'

/** A provider's request as the page builds it: the fields of the format, and the messages. */
export interface ChatRequestBody {
  readonly messages: readonly NativeMessage[]
  readonly [field: string]: unknown
}

/** Gives back the request that the conversation would make now, with the whole history in it. */
export function buildRequest(
  conversation: Conversation,
  persona: PersonaChoice,
  windowTokens: number,
): ChatRequestBody {
  if (conversation.format === 'anthropic-messages') {
    const { messages, fields } = conversation
    return {
      model: 'opened-from-file',
      max_tokens: answerTokens(windowTokens),
      ...fields,
      messages,
    }
  }
  const offered = persona.tools.length > 0 ? { tools: persona.tools } : {}
  return {
    ...offered,
    ...conversation.fields,
    model: persona.model,
    max_tokens: answerTokens(windowTokens),
    stream: true,
    stream_options: { include_usage: true },
    messages: [...systemOf(conversation, persona), ...conversation.messages],
  }
}

/** Messages that stand before those of the conversation in its request. */
export function leadingMessages(conversation: Conversation, persona: PersonaChoice): number {
  return conversation.format === 'openai-chat' ? systemOf(conversation, persona).length : 0
}

/** A file brings its own system text, or deliberately none. */
function systemOf(conversation: Conversation, persona: PersonaChoice): readonly NativeMessage[] {
  return conversation.origin === 'file' ? [] : [{ role: 'system', content: persona.system }]
}
