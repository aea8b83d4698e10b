import { expose } from 'comlink'
import { errorToData } from '../src/core/errors.ts'
import type { Engine } from '../src/engine/engine.ts'
import { threadEngine } from '../src/engine/local.ts'
import {
  type CallOutcome,
  PROTOCOL,
  type WorkerSignal,
  type WorkerState,
  type WorkerTable,
} from '../src/engine/protocol.ts'
import { loadRanks } from '../src/engine/rank-loading.ts'
import type { RankUrls } from '../src/engine/rank-urls.ts'
import { uniqueId } from '../src/engine/unique-id.ts'
import { countersOver, type RankLoader } from '../src/tokens/counters.ts'

/**
 * Makes this worker an engine. To be called in the first synchronous turn of the worker file, with no
 * top-level await before it: a message that comes earlier is lost and the page waits for ever (BROWSERS 4.1).
 */
export function serve(): void {
  const ranks = rankSource()
  const counters = countersOver(ranks.load)
  const engine = threadEngine({ counters })
  const aborts = new Map<string, AbortController>()
  const hasLocks = navigator.locks !== undefined
  let state: WorkerState = { protocol: PROTOCOL, alive: !hasLocks, lock: undefined }
  const table: WorkerTable = {
    call: (callId, method, job) => answer(engine, aborts, callId, method, job),
    cancel: (callId) => aborts.get(callId)?.abort(),
    useRanks: (urls) => {
      ranks.use(urls)
      // Most models use it, so that it is there before the first call. Where it cannot be had, that call is told.
      counters.get('o200k_base').catch(() => {})
    },
    ping: () => state,
  }
  expose(table)
  signal(state)
  if (!hasLocks) return
  holdLock((lock) => {
    state = { ...state, alive: true, lock }
    signal(state)
  })
}

/** Rank files, by addresses that the page says: a worker file that looks beside itself could not be moved alone. */
function rankSource(): { readonly load: RankLoader; readonly use: (urls: RankUrls) => void } {
  let use: (urls: RankUrls) => void = () => {}
  const told = new Promise<RankUrls>((resolve) => {
    use = resolve
  })
  return { load: async (encoding) => loadRanks(encoding, (await told)[encoding]), use }
}

function signal(state: WorkerState): void {
  const message: WorkerSignal = { tamp: state }
  self.postMessage(message)
}

/** A lock dies with its worker, in every engine: the only portable sign of death (BROWSERS 4.3). */
function holdLock(held: (lock: string) => void): void {
  const lock = `tamp:${uniqueId()}`
  void navigator.locks.request(lock, () => {
    held(lock)
    return new Promise(() => {})
  })
}

async function answer(
  engine: Engine,
  aborts: Map<string, AbortController>,
  callId: string,
  method: Parameters<WorkerTable['call']>[1],
  job: unknown,
): Promise<CallOutcome> {
  const abort = new AbortController()
  aborts.set(callId, abort)
  try {
    // The page's side pairs method and job; what crosses is data, so the pairing cannot be seen from here.
    const value = await engine.call(method, job as never, abort.signal)
    return { ok: true, value }
  } catch (error) {
    return { ok: false, error: errorToData(error) }
  } finally {
    aborts.delete(callId)
  }
}
