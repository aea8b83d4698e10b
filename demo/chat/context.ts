import type { Conversation } from './conversation.ts'
import type { PersonaChoice } from './persona.ts'
import { buildRequest, type ChatRequestBody } from './request.ts'
import type { SentRequest } from './sent.ts'

/**
 * Gives back what the model holds now: the last request as it was sent, and what came after it.
 * Before the first request, or where nothing was compacted, that is the whole history.
 */
export function contextRequest(
  conversation: Conversation,
  sent: SentRequest | undefined,
  { persona, windowTokens }: { persona: PersonaChoice; windowTokens: number },
): ChatRequestBody {
  const full = buildRequest(conversation, persona, windowTokens)
  if (sent === undefined || sent.fitted === sent.full) return full
  const since = conversation.messages.slice(sent.historyLength)
  return { ...full, messages: [...sent.fitted.messages, ...since] }
}
