import { adapterFor } from '../adapters/index.ts'
import { readRequest } from '../adapters/read-request.ts'
import { startCompaction } from '../core/compaction.ts'
import type { CompactionState } from '../core/compaction-state.ts'
import { standpointOf } from '../core/standpoint.ts'
import { assemblyOf, written } from './assembly.ts'
import type { FitAnswer, FitJob } from './engine.ts'
import { checkOverhead, endUnchanged, type Job, type JobStop, stepJob } from './job.ts'
import { oneShotSetup, requestCounter } from './setup.ts'

/** A one-shot job between its steps. */
export interface OpenFit extends Job {
  /** The list of the request, leading messages included. */
  readonly list: readonly object[]
}

/** Reads a job's request and counts it. Throws `invalid-conversation`, and `cannot-fit` for the overhead alone. */
export function openFit(job: FitJob, now: number): OpenFit {
  const request = job.request ?? {}
  const adapter = adapterFor(request, job.format)
  const read = readRequest(adapter, request)
  const counter = requestCounter(read.head)
  const setup = oneShotSetup(read, counter, job.limitTokens, job.options)
  checkOverhead(setup)
  return {
    adapter,
    setup,
    standpoint: standpointOf(setup),
    counter,
    systemMessages: read.head.systemMessages,
    trigger: 'threshold',
    startedAt: now,
    list: request[adapter.listField] as readonly object[], // read as objects
  }
}

/** Gives back the first state, or the answer where nothing is due. */
export function beginFit(open: OpenFit, now: number): FitAnswer | CompactionState {
  const { setup, standpoint } = open
  if (standpoint.sent.tokens > setup.budget.allowanceTokens) return startCompaction(setup)
  return answerOf(open, endUnchanged(open, now, { outcome: 'unchanged' }))
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

function answerOf({ adapter, list, setup }: OpenFit, stop: JobStop): FitAnswer {
  if (stop.type === 'ask') return stop
  const leading = list.length - setup.base.originals.length
  const out = written({
    adapter,
    view: stop.view,
    came: list.slice(leading),
    indexOf: ({ seq }) => seq,
  })
  const messages = assemblyOf(out)?.map((item) =>
    typeof item === 'number' ? leading + item : item,
  )
  return {
    type: 'done',
    messages: messages && [...list.slice(0, leading).keys(), ...messages],
    report: stop.report,
  }
}
