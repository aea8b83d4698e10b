import { batch } from '@preact/signals'
import type { Turn } from 'tamp'
import { exchange, type PartialReply, type Provider } from './exchange.ts'
import { codeOf } from './failure.ts'
import { historyOf } from './path.ts'
import { buildRequest, type ChatRequestBody } from './request.ts'
import { findTailStart, type SentRequest } from './sent.ts'
import { type ChatState, settingsOf } from './state.ts'
import { assistantMessage } from './turn.ts'

/** What one request of a turn needs. */
export interface AnswerParts {
  /** Makes a provider with a window of so many tokens. */
  readonly providerFor: (windowTokens: number) => Provider
  /** Asks for another wording; `undefined` for the first one. */
  readonly seed: number | undefined
  readonly signal: AbortSignal
  /** Told of the turn once its request is ready, so that a stop can settle it. */
  readonly onTurn: (turn: Turn<ChatRequestBody>) => void
}

/** Prepares a request from the path that is shown, and stores that path. */
export async function prepareNow(
  state: ChatState,
  { seed, signal }: Pick<AnswerParts, 'seed' | 'signal'>,
): Promise<Turn<ChatRequestBody>> {
  state.activity.value = 'fitting'
  const history = historyOf(state.path.value)
  const settings = { ...settingsOf(state), ...(seed !== undefined && { seed }) }
  const full = buildRequest(settings, history)
  const { format } = settings.about
  const turn = await state.conversation.value.prepare(full, { format, signal })
  // The conversation may have been replaced meanwhile; its state must not get what belonged to another.
  signal.throwIfAborted()
  const { request: fitted, report } = turn
  const leading = full.messages.length - history.length
  const tail = findTailStart(full.messages, fitted.messages)
  const tailStart = tail === undefined ? undefined : Math.max(0, tail - leading)
  state.sent.value = { full, fitted, report, historyLength: history.length, tailStart }
  return turn
}

/** Prepares, sends, stores the answer and gives it back; the partial one is shown and kept meanwhile. */
export async function answerNow(state: ChatState, parts: AnswerParts): Promise<PartialReply> {
  const turn = await prepareNow(state, parts)
  parts.onTurn(turn)
  state.activity.value = 'answering'
  const onPartial = (reply: PartialReply) => {
    state.partial.value = reply
    if (reply.text !== '' || reply.calls.length > 0) turn.draft(assistantMessage(reply))
  }
  const provider = parts.providerFor(state.windowTokens.value)
  const reply = await exchange(provider, turn.request, { signal: parts.signal, onPartial })
  await settleTurn(turn, { message: assistantMessage(reply), usage: reply.usage })
  parts.signal.throwIfAborted()
  batch(() => {
    state.partial.value = undefined
    state.usage.value = reply.usage
    noteAnsweredFrom(state, turn.report)
  })
  return reply
}

/** Stores a reply. Without an engine the chat goes on unstored; a notice says so. */
export async function settleTurn(
  turn: Turn<ChatRequestBody>,
  answer: Parameters<Turn<ChatRequestBody>['settle']>[0],
): Promise<void> {
  await turn.settle(answer).catch((error: unknown) => {
    if (codeOf(error) !== 'engine-lost') throw error
  })
}

function noteAnsweredFrom(
  { answeredFrom, path }: ChatState,
  { outcome, tokensBefore, tokensAfter }: SentRequest['report'],
): void {
  if (outcome !== 'compacted') return
  const index = path.value.length
  answeredFrom.value = new Map(answeredFrom.value).set(index, { tokensBefore, tokensAfter })
}
