import type { CaseExpectation, ScriptedReply, SummaryRequest } from '../support/case-types.ts'

/** What the model says where a case scripts nothing (README of the cases). */
const STUB = 'STUB-SUMMARY: the earlier steps were done as asked; details are in the archive.'

/** A summary model that answers by a script, and remembers what it was asked and what it said. */
export interface ScriptedSummarizer {
  readonly summarizer: (request: SummaryRequest) => Promise<{ text: string; finish?: string }>
  readonly requests: readonly SummaryRequest[]
  readonly texts: readonly string[]
}

/** Replies are used in order and the last one repeats; an error with an HTTP status counts as the provider's. */
export function scriptedSummarizer(script: CaseExpectation['summarizer']): ScriptedSummarizer {
  const replies = script?.replies ?? [{ text: STUB }]
  const requests: SummaryRequest[] = []
  const texts: string[] = []
  const summarizer = async ({ system, prompt, maxTokens }: SummaryRequest) => {
    const reply = replies[Math.min(requests.length, replies.length - 1)] ?? { text: STUB }
    requests.push({ system, prompt, maxTokens })
    if (reply.error !== undefined) throw providerError(reply.error)
    texts.push(reply.text ?? '')
    return answer(reply)
  }
  return { summarizer, requests, texts }
}

function answer({ text = '', finish, reasoning }: ScriptedReply) {
  return {
    text,
    ...(finish === undefined ? {} : { finish }),
    ...(reasoning === undefined ? {} : { reasoning }),
  }
}

function providerError(message: string): Error {
  const status = Number(/HTTP (\d{3})/.exec(message)?.[1])
  return Object.assign(new Error(message), Number.isNaN(status) ? {} : { status })
}
