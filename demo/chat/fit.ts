import type { Tamp } from 'tamp'
import type { Conversation } from './conversation.ts'
import { codeOf } from './failure.ts'
import type { PersonaChoice } from './persona.ts'
import { buildRequest, leadingMessages } from './request.ts'
import { findTailStart, type SentRequest } from './sent.ts'

export interface FitOptions {
  readonly persona: PersonaChoice
  readonly windowTokens: number
  readonly limitTokens: number
  readonly signal: AbortSignal
}

/**
 * Fits the whole history to the limit. The conversation is kept in memory alone, so each request starts
 * from all of it; equal input gives equal output, so earlier compactions come out the same.
 *
 * Without an engine the request is given back as it was: a dead worker must not end the chat. The
 * provider then decides whether it is too long.
 */
export async function fitConversation(
  tamp: Tamp,
  conversation: Conversation,
  { persona, windowTokens, limitTokens, signal }: FitOptions,
): Promise<SentRequest> {
  const full = buildRequest(conversation, persona, windowTokens)
  const historyLength = conversation.messages.length
  try {
    const { format } = conversation
    const { request: fitted, report } = await tamp.fit(full, { limitTokens, format, signal })
    const tail = findTailStart(full.messages, fitted.messages)
    const leading = leadingMessages(conversation, persona)
    const tailStart = tail === undefined ? undefined : Math.max(0, tail - leading)
    return { full, fitted, report, historyLength, tailStart }
  } catch (error) {
    if (codeOf(error) !== 'engine-lost') throw error
    return { full, fitted: full, report: undefined, historyLength, tailStart: undefined }
  }
}
