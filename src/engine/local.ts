import { TampError } from '../core/errors.ts'
import { idbStore } from '../storage/idb-store.ts'
import type { LogStore } from '../storage/log-store.ts'
import { memoryStore } from '../storage/memory-store.ts'
import { Conversations, type StoreFactory } from './conversation/conversations.ts'
import type { Engine, EngineMethod, EngineMethods, FitAnswer, FitJob } from './engine.ts'
import { type OpenFit, openFit, runFit } from './fit.ts'
import { measureRequest } from './measure.ts'
import { runSliced } from './schedule.ts'

/** Jobs that wait for a model at once; the oldest is forgotten then, and sent again by the page when it goes on. */
const MAX_OPEN_JOBS = 8

/**
 * Gives back an engine that works in the calling thread: in a worker, where `serve()` puts it, in Node, in a
 * service worker or in a test. A compaction takes bounded steps with a task of its own for each, so that other
 * calls are answered while it runs.
 */
export function localEngine({ store = defaultStore }: LocalOptions = {}): Engine {
  const conversations = new Conversations(store)
  const jobs = new Map<string, OpenFit>()
  const rejecters = new Set<(error: TampError) => void>()
  let closed = false
  const methods: MethodTable = {
    fit: (job, signal) => answerFit(jobs, job, signal),
    measure: async (job) => measureRequest(job),
    ...conversations.table,
  }
  return {
    ready: async () => ({ worker: false }),
    call: (method, job, signal) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(closedError())
        rejecters.add(reject)
        // Each entry takes the job of its own method; the generic signature of `call` pairs them.
        const run = methods[method] as (job: unknown, signal?: AbortSignal) => Promise<never>
        run(job, signal)
          .then(resolve, reject)
          .finally(() => rejecters.delete(reject))
      }),
    onEvent: () => {},
    close: () => {
      closed = true
      for (const reject of rejecters) reject(closedError())
      rejecters.clear()
      jobs.clear()
      conversations.close()
    },
  }
}

/** What a local engine may be given. */
export interface LocalOptions {
  /** Makes the store of a name; by default IndexedDB, or memory where there is none. */
  readonly store?: StoreFactory
}

function defaultStore(name: string): LogStore {
  return typeof indexedDB === 'undefined' ? memoryStore() : idbStore({ name })
}

function closedError(): TampError {
  return new TampError('engine-lost', 'the engine was closed', { reason: 'closed' })
}

type MethodTable = {
  readonly [M in EngineMethod]: (
    job: Parameters<EngineMethods[M]>[0],
    signal: AbortSignal | undefined,
  ) => Promise<ReturnType<EngineMethods[M]>>
}

async function answerFit(
  jobs: Map<string, OpenFit>,
  job: FitJob,
  signal: AbortSignal | undefined,
): Promise<FitAnswer> {
  signal?.throwIfAborted()
  const open = jobs.get(job.jobId) ?? (job.request ? openFit(job, performance.now()) : undefined)
  if (!open) return { type: 'unknown-job' }
  remember(jobs, job.jobId, open)
  try {
    const answer = await runSliced(runFit(open, job.resume), signal)
    if (answer.type !== 'ask') jobs.delete(job.jobId)
    return answer
  } catch (error) {
    jobs.delete(job.jobId)
    throw error
  }
}

function remember(jobs: Map<string, OpenFit>, jobId: string, open: OpenFit): void {
  jobs.delete(jobId)
  jobs.set(jobId, open)
  const [oldest] = jobs.keys()
  if (jobs.size > MAX_OPEN_JOBS && oldest !== undefined) jobs.delete(oldest)
}
