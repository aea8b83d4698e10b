import type { ModelReply, ModelRequest } from './core/summary.ts'
import { untilAborted } from './engine/until-aborted.ts'

/** What a summarizer may answer: the text alone, or with what the provider said about it. */
export type SummarizerAnswer =
  | string
  | {
      readonly text: string
      /** Why the answer ended, in the provider's word: `length` and `max_tokens` mean cut off. */
      readonly finish?: string | undefined
      readonly usage?: unknown
    }

/**
 * Makes one call to a model, on the page's side, so that keys never reach the worker. An error with a numeric
 * `status`, or with the name `TimeoutError` or `NetworkError`, is a failure of the provider: the summary failed
 * and nothing else. Any other error leaves `fit` as itself.
 */
export type Summarizer = (
  request: ModelRequest,
  call: { readonly signal: AbortSignal },
) => SummarizerAnswer | Promise<SummarizerAnswer>

/** Gives back the reply of a summarizer, a failure of the provider included. Rejects with any other error. */
export async function askSummarizer(
  summarizer: Summarizer,
  request: ModelRequest,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<ModelReply> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const either = signal ? AbortSignal.any([signal, timeout]) : timeout
  try {
    return replyOf(await untilAborted(summarizer(request, { signal: either }), either))
  } catch (error) {
    signal?.throwIfAborted()
    const message = timeout.aborted ? `no answer within ${timeoutMs} ms` : failureOf(error)
    if (message === undefined) throw error
    return { type: 'failed', message }
  }
}

function replyOf(answer: SummarizerAnswer): ModelReply {
  const { text, finish } = typeof answer === 'string' ? { text: answer } : (answer ?? {})
  return { type: 'text', text: textOr(text, ''), finish: textOr(finish, undefined) }
}

/** An app without types may answer anything. */
function textOr<T>(value: unknown, other: T): string | T {
  return typeof value === 'string' ? value : other
}

/** What a failure of the provider says; `undefined` for any other error, which may be anything. */
function failureOf(error: unknown): string | undefined {
  const { status, name, message } = Object(error) as Readonly<Record<string, unknown>> // an object by now
  const isHttp = typeof status === 'number'
  if (!isHttp && name !== 'TimeoutError' && name !== 'NetworkError') return undefined
  return textOr(message, `status ${isHttp ? status : 'unknown'}`)
}
