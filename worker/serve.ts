import { expose } from 'comlink'
import { errorToData } from '../src/core/errors.ts'
import type { Engine } from '../src/engine/engine.ts'
import { localEngine } from '../src/engine/local.ts'
import {
  type CallOutcome,
  PROTOCOL,
  type WorkerSignal,
  type WorkerState,
  type WorkerTable,
} from '../src/engine/protocol.ts'
import { uniqueId } from '../src/engine/unique-id.ts'

/**
 * Makes this worker an engine. To be called in the first synchronous turn of the worker file, with no
 * top-level await before it: a message that comes earlier is lost and the page waits for ever (BROWSERS 4.1).
 */
export function serve(): void {
  const engine = localEngine()
  const aborts = new Map<string, AbortController>()
  const hasLocks = navigator.locks !== undefined
  let state: WorkerState = { protocol: PROTOCOL, alive: !hasLocks, lock: undefined }
  const table: WorkerTable = {
    call: (callId, method, job) => answer(engine, aborts, callId, method, job),
    cancel: (callId) => aborts.get(callId)?.abort(),
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
