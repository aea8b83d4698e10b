import { wrap } from 'comlink'
import type { Encoding } from '../core/encoding.ts'
import { errorFromData, TampError } from '../core/errors.ts'
import { type Connection, connect, type Deadlines, lostError } from './connection.ts'
import type { Engine, EngineEvent, EngineMethod, EngineMethods } from './engine.ts'
import type { CallOutcome, WorkerClient, WorkerTable } from './protocol.ts'
import { type RankUrls, rankUrls } from './rank-urls.ts'
import { uniqueId } from './unique-id.ts'

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
  private readonly makeWorker: () => Worker
  private readonly deadlines: Deadlines
  private readonly ranks: RankUrls
  private readonly listeners = new Set<(event: EngineEvent) => void>()
  private connection: Promise<Connection> | undefined
  private closed = false
  /** Losses that were told: every call that waited learns of the same one. */
  private readonly told = new WeakMap<TampError, EngineEvent['type']>()
  private readonly closing = new AbortController()

  constructor(options: RemoteOptions) {
    this.makeWorker = workerFactory(options)
    this.ranks = rankUrls(options.ranks)
    this.deadlines = { ...DEADLINES, ...options.deadlines }
  }

  readonly ready: Engine['ready'] = async () => {
    await this.retrying(async () => this.connected())
    return { worker: true }
  }

  readonly call: Engine['call'] = async (method, job, signal) => {
    signal?.throwIfAborted()
    const outcome = await this.retrying(async () =>
      this.send(await this.connected(), method, job, signal),
    )
    if (outcome.ok) return outcome.value as ReturnType<EngineMethods[typeof method]> // the worker's table pairs them
    throw errorFromData(outcome.error)
  }

  readonly onEvent: Engine['onEvent'] = (listener) => {
    this.listeners.add(listener)
  }

  readonly close: Engine['close'] = () => {
    this.closed = true
    this.closing.abort(lostError('closed'))
    this.connection?.then((connection) => connection.end('closed')).catch(() => {}) // it never started
    this.connection = undefined
  }

  /** Does it, and once more where the worker was lost meanwhile. */
  private async retrying<T>(attempt: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      if (this.closed) throw lostError('closed')
      const waiting = this.untilClosed()
      try {
        return await Promise.race([attempt(), waiting.closed])
      } catch (error) {
        if (!isLost(error) || this.closed) throw error
        const isFinal = tries >= MAX_TRIES
        this.tell(error, isFinal ? 'engine:lost' : 'engine:restarted')
        if (isFinal) throw error
      } finally {
        waiting.stop()
      }
    }
  }

  /** Rejects when the engine is closed; `stop` takes the listener away, or each call would leave one. */
  private untilClosed(): { readonly closed: Promise<never>; readonly stop: () => void } {
    const { signal } = this.closing
    let give: () => void = () => {}
    const closed = new Promise<never>((_, reject) => {
      give = () => reject(signal.reason)
      signal.addEventListener('abort', give, { once: true })
    })
    return { closed, stop: () => signal.removeEventListener('abort', give) }
  }

  private connected(): Promise<Connection> {
    if (this.connection) return this.connection
    const { makeWorker, ranks } = this
    const connection = connect({ makeWorker, wrap: clientOf, ranks }, this.deadlines)
    this.connection = connection
    const forget = () => {
      if (this.connection === connection) this.connection = undefined
    }
    const die = (error: TampError) => {
      forget()
      // Nobody may be waiting: the next call starts another worker, and the app is told now.
      if (!this.closed) this.tell(error, 'engine:restarted')
    }
    connection.then((live) => live.lost.catch(die), forget)
    return connection
  }

  private async send(
    connection: Connection,
    method: EngineMethod,
    job: unknown,
    signal: AbortSignal | undefined,
  ): Promise<CallOutcome> {
    signal?.throwIfAborted()
    const callId = uniqueId()
    const stopWatching = connection.watch()
    let give: () => void = () => {}
    const aborted = new Promise<never>((_, reject) => {
      give = () => {
        void connection.table.cancel(callId)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', give, { once: true })
    })
    try {
      return await Promise.race([
        connection.table.call(callId, method, job),
        connection.lost,
        aborted,
      ])
    } finally {
      stopWatching()
      signal?.removeEventListener('abort', give)
    }
  }

  private tell(error: TampError, type: EngineEvent['type']): void {
    if (this.told.get(error) === type) return
    this.told.set(error, type)
    for (const listener of this.listeners) listener({ type, reason: String(error.details.reason) })
  }
}

/** Comlink is transport only: a flat table of functions over plain data (DESIGN 12). */
function clientOf(worker: Worker): WorkerClient {
  return wrap<WorkerTable>(worker)
}

function isLost(error: unknown): error is TampError {
  return error instanceof TampError && error.code === 'engine-lost'
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
  let used = false
  return () => {
    if (used)
      throw new Error('the worker that was passed in is gone; pass a factory to have it restarted')
    used = true
    return worker
  }
}
