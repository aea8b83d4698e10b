import { adapterFor } from '../adapters/index.ts'
import { readRequest } from '../adapters/read-request.ts'
import { startCompaction } from '../core/compaction.ts'
import { type CompactionState, conversationTokens } from '../core/compaction-state.ts'
import type { Counters } from '../tokens/counters.ts'
import { assemblyOf } from './assembly.ts'
import type { FitAnswer, FitJob } from './engine.ts'
import { checkOverhead, endUnchanged, type Job, type JobStop, stepJob } from './job.ts'
import { countingFor, oneShotSetup, requestCounter } from './setup.ts'

/** A one-shot job between its steps. */
export interface OpenFit extends Job {
  /** The list of the request, leading messages included. */
  readonly list: readonly object[]
}

/**
 * Reads a job's request and counts it. Rejects with `invalid-conversation`, with `ranks-unavailable`, and with
 * `cannot-fit` for the overhead alone.
 */
export async function openFit(job: FitJob, counters: Counters): Promise<OpenFit> {
  const startedAt = performance.now()
  const request = job.request ?? {}
  const adapter = adapterFor(request, job.format)
  const read = readRequest(adapter, request)
  const counter = requestCounter(read.head, await countingFor(read.head, counters))
  const setup = oneShotSetup(read, counter, job.limitTokens, job.options)
  checkOverhead(setup)
  return {
    adapter,
    setup,
    counter,
    systemMessages: read.head.systemMessages,
    trigger: 'threshold',
    startedAt,
    list: request[adapter.listField] as readonly object[], // read as objects
  }
}

/** Gives back the first state, or the answer where nothing is due. */
export function beginFit(open: OpenFit, now: number): FitAnswer | CompactionState {
  const unchanged = endUnchanged(open, now, { outcome: 'unchanged' })
  const tokens = conversationTokens(open.setup, unchanged.view)
  if (tokens > open.setup.budget.allowanceTokens) return startCompaction(open.setup)
  return answerOf(open, unchanged)
}

/** Takes one step of a job. Gives back the answer, or the state to go on from. */
export function stepFit(
  open: OpenFit,
  state: CompactionState,
  reply: FitJob['resume'],
  now: number,
): FitAnswer | CompactionState {
  const next = stepJob(open, state, reply?.reply, now)
  return 'type' in next ? answerOf(open, next) : next
}

function answerOf(open: OpenFit, stop: JobStop): FitAnswer {
  if (stop.type === 'ask') return stop
  const messages = assemblyOf(open.adapter, { list: open.list, came: open.list, view: stop.view })
  return { type: 'done', messages, report: stop.report }
}
