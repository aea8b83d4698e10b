import { batch } from '@preact/signals'
import type { Tamp } from 'tamp'
import { exchange, type PartialReply, type Provider } from './exchange.ts'
import { fitConversation } from './fit.ts'
import type { SentRequest } from './sent.ts'
import type { ChatState } from './state.ts'
import { limitOf } from './window.ts'

/** What a request goes through. */
export interface AnswerParts {
  readonly tamp: Tamp
  /** Makes a provider with a window of so many tokens. */
  readonly providerFor: (windowTokens: number) => Provider
}

/** Fits the present history to a limit and notes what came of it. */
export async function fitNow(
  state: ChatState,
  tamp: Tamp,
  { limitTokens, signal }: { limitTokens: number; signal: AbortSignal },
): Promise<SentRequest> {
  state.activity.value = 'fitting'
  const sent = await fitConversation(tamp, state.conversation.value, {
    persona: state.persona.value,
    windowTokens: state.windowTokens.value,
    limitTokens,
    signal,
  })
  // The conversation may have been replaced meanwhile; its state must not get what belonged to another.
  signal.throwIfAborted()
  state.sent.value = sent
  return sent
}

/** Fits, sends, and gives back the whole answer; the partial one is shown meanwhile. */
export async function answerNow(
  state: ChatState,
  { tamp, providerFor }: AnswerParts,
  signal: AbortSignal,
): Promise<PartialReply> {
  const windowTokens = state.windowTokens.value
  const sent = await fitNow(state, tamp, { limitTokens: limitOf(windowTokens), signal })
  state.activity.value = 'answering'
  const onPartial = (reply: PartialReply) => {
    state.partial.value = reply
  }
  const reply = await exchange(providerFor(windowTokens), sent.fitted, { signal, onPartial })
  batch(() => {
    state.partial.value = undefined
    state.usage.value = reply.usage
    noteAnsweredFrom(state, sent)
  })
  return reply
}

function noteAnsweredFrom(
  { answeredFrom, conversation }: ChatState,
  { report }: SentRequest,
): void {
  if (report?.outcome !== 'compacted') return
  const { tokensBefore, tokensAfter } = report
  const index = conversation.value.messages.length
  answeredFrom.value = new Map(answeredFrom.value).set(index, { tokensBefore, tokensAfter })
}
