import { adapterFor } from '../adapters/index.ts'
import { readRequest } from '../adapters/read-request.ts'
import { startCompaction } from '../core/compaction.ts'
import type { Sliced } from '../core/sliced.ts'
import { standpointOf } from '../core/standpoint.ts'
import type { Counters } from '../tokens/counters.ts'
import { assemblyOf, written } from './assembly.ts'
import type { FitAnswer, FitJob } from './engine.ts'
import { checkOverhead, endUnchanged, type Job, type JobStop, runJob } from './job.ts'
import { runSliced } from './schedule.ts'
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
    standpoint: await runSliced(standpointOf(setup)),
    counter,
    systemMessages: read.head.systemMessages,
    trigger: 'threshold',
    startedAt,
    list: request[adapter.listField] as readonly object[], // read as objects
  }
}

/** Works on a job up to its answer, in slices: from its start, or from where it asked for something. */
export function* runFit(open: OpenFit, resume: FitJob['resume']): Sliced<FitAnswer> {
  const { setup, standpoint } = open
  if (resume) return answerOf(open, yield* runJob(open, resume.state, resume.reply))
  if (standpoint.sent.tokens > setup.budget.allowanceTokens) {
    return answerOf(open, yield* runJob(open, yield* startCompaction(setup), undefined))
  }
  return answerOf(open, endUnchanged(open, performance.now(), { outcome: 'unchanged' }))
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
