import type { ModelReply, ModelRequest } from '../core/summary.ts'

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
    const answer = await Promise.race([summarizer(request, { signal: either }), aborted(either)])
    return toReply(answer)
  } catch (error) {
    signal?.throwIfAborted()
    if (timeout.aborted) return { type: 'failed', message: `no answer within ${timeoutMs} ms` }
    if (isProviderFailure(error)) return { type: 'failed', message: messageOf(error) }
    throw error
  }
}

function toReply(answer: SummarizerAnswer): ModelReply {
  if (typeof answer === 'string') return { type: 'text', text: answer, finish: undefined }
  const text = typeof answer?.text === 'string' ? answer.text : ''
  const finish = typeof answer?.finish === 'string' ? answer.finish : undefined
  return { type: 'text', text, finish }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted)
      reject(signal.reason) // aborted by the summarizer itself, before it answered
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function isProviderFailure(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { status, name } = error as { status?: unknown; name?: unknown } // any object may be looked into
  return typeof status === 'number' || name === 'TimeoutError' || name === 'NetworkError'
}

/** Anything may be thrown, also what has no text form. */
function messageOf(error: unknown): string {
  const { message, status } = error as { message?: unknown; status?: unknown } // an object by the check before
  return typeof message === 'string'
    ? message
    : `status ${typeof status === 'number' ? status : 'unknown'}`
}
