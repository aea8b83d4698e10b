import type { Adapter } from '../core/adapter.ts'
import { stepCompaction } from '../core/compaction.ts'
import {
  type CompactionSetup,
  type CompactionState,
  type CompactionStep,
  viewOf,
} from '../core/compaction-state.ts'
import type { Edit } from '../core/edit.ts'
import { TampError } from '../core/errors.ts'
import type { View } from '../core/model.ts'
import type { CompactionReport, Outcome, Trigger } from '../core/report.ts'
import type { Sliced } from '../core/sliced.ts'
import { type Standpoint, tallyOf } from '../core/standpoint.ts'
import type { ModelReply, ModelRequest } from '../core/summary.ts'
import { makeReport } from './job-report.ts'
import type { RequestCounter } from './setup.ts'

/** A request on its way to one that fits: what a restarted worker would have to read and count again. */
export interface Job {
  readonly adapter: Adapter
  readonly setup: CompactionSetup
  /** What is sent where nothing is compacted. */
  readonly standpoint: Standpoint
  readonly counter: RequestCounter
  /** System messages that stand before the conversation. */
  readonly systemMessages: number
  readonly trigger: Trigger
  /** What `performance.now` said when it began. */
  readonly startedAt: number
}

/** Where a job stands when it does not simply go on. */
export type JobStop =
  | { readonly type: 'ask'; readonly ask: ModelRequest; readonly state: CompactionState }
  | {
      readonly type: 'done'
      /** All edits from the originals to what is sent. */
      readonly edits: readonly Edit[]
      readonly view: View
      readonly report: CompactionReport
    }

/** Gives back the end of a job in which nothing is compacted: what the provider would refuse is mended all the same. */
export function endUnchanged(
  job: Job,
  now: number,
  said: { readonly outcome: Outcome; readonly reason?: string; readonly summarizerCalls?: number },
): Extract<JobStop, { type: 'done' }> {
  const { edits, mended, sent } = job.standpoint
  const input = { reason: undefined, ...said, repaired: mended }
  return { type: 'done', edits, view: sent.view, report: makeReport(job, sent, now, input) }
}

/** Takes the steps of a job, in slices, up to where it stops. */
export function* runJob(
  job: Job,
  state: CompactionState,
  reply: ModelReply | undefined,
): Sliced<JobStop> {
  let step = yield* stepCompaction(job.setup, state, reply)
  while (step.type === 'next') {
    yield
    step = yield* stepCompaction(job.setup, step.state)
  }
  return stopOf(job, step, performance.now())
}

function stopOf(job: Job, step: Exclude<CompactionStep, { type: 'next' }>, now: number): JobStop {
  switch (step.type) {
    case 'ask':
      return step
    case 'refused': {
      const { outcome, reason, state } = step
      return endUnchanged(job, now, { outcome, reason, summarizerCalls: state.summarizerCalls })
    }
    case 'done': {
      const view = viewOf(job.setup, step.state)
      const { failure, edits } = step.state
      const reason = failure && `the model's summary failed: ${failure.reason}`
      const tally = tallyOf(job.setup, view)
      const report = makeReport(job, tally, now, { ...step.state, outcome: 'compacted', reason })
      return { type: 'done', edits, view, report }
    }
    default:
      return step satisfies never
  }
}

/** Throws `cannot-fit` where system text and tools alone leave nothing for a conversation (SEEDS K6). */
export function checkOverhead({ budget }: CompactionSetup): void {
  const { overheadTokens, ceilingTokens, reserveTokens, allowanceTokens } = budget
  if (overheadTokens < ceilingTokens && allowanceTokens > 0) return
  const message = `system text and tools take ${overheadTokens} tokens; the limit is ${ceilingTokens}`
  throw new TampError('cannot-fit', message, {
    cause: 'overhead',
    overheadTokens,
    limitTokens: ceilingTokens,
    reserveTokens,
    neededTokens: overheadTokens + reserveTokens,
  })
}
