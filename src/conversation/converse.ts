import type { CompactionState } from '../core/compaction-state.ts'
import { TampError } from '../core/errors.ts'
import type { CompactionReport } from '../core/report.ts'
import type { ModelReply, ModelRequest } from '../core/summary.ts'

/** Where a job goes on, with the answer to its last ask. */
export interface Resume {
  readonly state: CompactionState
  readonly reply: ModelReply
}

type Ask = { readonly type: 'ask'; readonly ask: ModelRequest; readonly state: CompactionState }

/** How a job is carried on. */
export interface Calls<Answer> {
  /** Sends the job with all that it needs. */
  readonly send: (resume?: Resume) => Promise<Answer>
  /** Sends only where it goes on, to an engine that knows the job. */
  readonly goOn: (resume: Resume) => Promise<Answer>
  /** Called once, before a model is asked for the first time. */
  readonly begin: () => void
  readonly serve: (ask: ModelRequest) => Promise<ModelReply>
}

/** The one loop that serves what a compaction asks for, so that keys and aborts stay on the page (DESIGN 1.4). */
export async function converse<Answer extends Ask | { readonly type: string }>(
  calls: Calls<Answer>,
): Promise<Extract<Answer, { type: 'done' }>> {
  let answer = await calls.send()
  if (isAsk(answer)) calls.begin()
  while (isAsk(answer)) {
    const resume = { state: answer.state, reply: await calls.serve(answer.ask) }
    answer = await calls.goOn(resume)
    if (answer.type === 'unknown-job') answer = await calls.send(resume)
  }
  return asDone(answer)
}

function isAsk(answer: Ask | { readonly type: string }): answer is Ask {
  return answer.type === 'ask'
}

/** Gives back the answer that ends a job. Throws `engine-lost` where the engine forgot what it was just given. */
export function asDone<Answer extends { readonly type: string }>(
  answer: Answer,
): Extract<Answer, { type: 'done' }> {
  const { type: reason } = answer
  if (reason === 'done') return answer as Extract<Answer, { type: 'done' }> // checked here
  throw new TampError('engine-lost', `the engine forgot what it was just given (${reason})`, {
    reason,
  })
}

/** Gives back the event that tells of a report; `undefined` where there is nothing to tell. */
export function eventOf({ outcome, reason }: CompactionReport) {
  if (outcome === 'compacted') return 'compaction:end'
  if (outcome === 'failed') return 'compaction:failed'
  return outcome === 'nothing-to-do' && reason !== undefined ? 'compaction:skipped' : undefined
}
