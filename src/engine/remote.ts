import { wrap } from 'comlink'
import type { Encoding } from '../core/encoding.ts'
import { errorFromData, hasCode, type TampError } from '../core/errors.ts'
import { type Connection, connect, type Deadlines, lostError, type Parts } from './connection.ts'
import type { Engine, EngineEvent, EngineMethod, EngineMethods } from './engine.ts'
import type { CallOutcome, WorkerClient, WorkerTable } from './protocol.ts'
import { rankUrls } from './rank-urls.ts'
import { uniqueId } from './unique-id.ts'
import { untilAborted } from './until-aborted.ts'

/** Where a remote engine gets its worker. Precedence: `worker`, `workerUrl`, the file beside the library. */
export interface RemoteOptions {
  readonly worker?: Worker | (() => Worker) | undefined
  readonly workerUrl?: string | URL | undefined
  /** Where the rank files lie, if not beside the library. */
  readonly ranks?: Partial<Record<Encoding, string | URL>> | undefined
  /** For tests: shorter deadlines. */
  readonly deadlines?: Partial<Deadlines>
}

/** WebKitGTK was seen to take 10 s for a worker of 3 MB on two busy cores. */
const DEADLINES: Deadlines = { startMs: 30_000, silenceMs: 30_000 }

/** A call is sent at most this often: once, and once more to the worker that takes over. */
const MAX_TRIES = 2

/**
 * Gives back an engine in a worker. A worker that fails to start, throws, ends or hangs is started once more and
 * the calls that waited are repeated; a call that loses its worker twice rejects with `engine-lost`.
 */
export function remoteEngine(options: RemoteOptions): Engine {
  return new RemoteEngine(options)
}

class RemoteEngine implements Engine {
  readonly #parts: Parts
  readonly #deadlines: Deadlines
  readonly #listeners = new Set<(event: EngineEvent) => void>()
  #connection: Connection | undefined
  #closed = false
  /** Losses that were told: every call that waited learns of the same one. */
  readonly #told = new WeakMap<TampError, EngineEvent['type']>()

  constructor(options: RemoteOptions) {
    const ranks = rankUrls(options.ranks)
    this.#parts = { makeWorker: workerFactory(options), wrap: clientOf, ranks }
    this.#deadlines = { ...DEADLINES, ...options.deadlines }
  }

  readonly ready: Engine['ready'] = () => this.#retrying(undefined, async () => ({ worker: true }))

  readonly call: Engine['call'] = async (method, job, signal) => {
    signal?.throwIfAborted()
    const outcome = await this.#retrying(signal, (connection) =>
      send(connection, method, job, signal),
    )
    if (outcome.ok) return outcome.value as ReturnType<EngineMethods[typeof method]> // the worker's table pairs them
    throw errorFromData(outcome.error)
  }

  readonly onEvent: Engine['onEvent'] = (listener) => {
    this.#listeners.add(listener)
  }

  readonly close: Engine['close'] = () => {
    this.#closed = true
    this.#connection?.end('closed')
  }

  /** Does it with a worker that started, and once more where that was lost meanwhile. */
  async #retrying<T>(
    signal: AbortSignal | undefined,
    attempt: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        if (this.#closed) throw lostError('closed')
        const connection = this.#connected()
        await untilAborted(connection.started, connection.lost, signal)
        return await attempt(connection)
      } catch (error) {
        if (!hasCode(error, 'engine-lost') || this.#closed) throw error
        const isFinal = tries >= MAX_TRIES
        this.#tell(error, isFinal ? 'engine:lost' : 'engine:restarted')
        if (isFinal) throw error
      }
    }
  }

  #connected(): Connection {
    if (this.#connection) return this.#connection
    const connection = connect(this.#parts, this.#deadlines)
    this.#connection = connection
    let isStarted = false
    connection.started.then(() => {
      isStarted = true
    })
    const { lost } = connection
    lost.addEventListener('abort', () => {
      this.#connection = undefined
      // Nobody may be waiting: the next call starts another worker, and the app is told now.
      if (isStarted && !this.#closed) this.#tell(lost.reason, 'engine:restarted')
    })
    return connection
  }

  #tell(error: TampError, type: EngineEvent['type']): void {
    if (this.#told.get(error) === type) return
    this.#told.set(error, type)
    for (const listener of this.#listeners) listener({ type, reason: String(error.details.reason) })
  }
}

/** Makes one call. Rejects with the reason of the signal, or of the loss of the worker. */
async function send(
  { table, lost, watch }: Connection,
  method: EngineMethod,
  job: unknown,
  signal: AbortSignal | undefined,
): Promise<CallOutcome> {
  const callId = uniqueId()
  const stopWatching = watch()
  try {
    return await untilAborted(table.call(callId, method, job), lost, signal)
  } finally {
    stopWatching()
    if (signal?.aborted) void table.cancel(callId)
  }
}

/** Comlink is transport only: a flat table of functions over plain data (DESIGN 12). */
function clientOf(worker: Worker): WorkerClient {
  return wrap<WorkerTable>(worker)
}

function workerFactory({ worker, workerUrl }: RemoteOptions): () => Worker {
  if (typeof worker === 'function') return worker
  if (worker !== undefined) return useOnce(worker)
  if (workerUrl !== undefined) return () => new Worker(workerUrl, { type: 'module' })
  // One literal for both trees: Vite maps it to the `.ts` file, consumers' bundlers to the built one (DESIGN 11).
  return () => new Worker(new URL('../../worker/worker.js', import.meta.url), { type: 'module' })
}

/** A worker that was handed in cannot be made again. */
function useOnce(worker: Worker): () => Worker {
  let left: Worker | undefined = worker
  return () => {
    const given = left
    left = undefined
    if (given) return given
    throw new Error('the worker that was passed in is gone; pass a factory to have it restarted')
  }
}
