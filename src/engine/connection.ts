import { TampError } from '../core/errors.ts'
import { PROTOCOL, type WorkerClient, type WorkerSignal, type WorkerState } from './protocol.ts'
import type { RankUrls } from './rank-urls.ts'

/** Deadlines, in milliseconds. */
export interface Deadlines {
  /** From the start of the worker to its handshake (BROWSERS 4.3). */
  readonly startMs: number
  /** From the worker's last sign of life to when it counts as hung. No step of the engine comes near it. */
  readonly silenceMs: number
}

/** A worker that shook hands and lives. */
export interface Connection {
  readonly table: WorkerClient
  /** Rejects with `engine-lost` when the worker dies or falls silent; never resolves. */
  readonly lost: Promise<never>
  /** Ends the worker; `lost` rejects with the reason. */
  readonly end: (reason: string) => void
  /** While calls wait the worker is asked for signs of life; the function that comes back ends one wait. */
  readonly watch: () => () => void
}

/** How often a worker that somebody waits for is asked whether it lives. */
const PING_MS = 1000
/** A timer that comes this much too late was frozen or throttled; the worker then gets a new deadline (DESIGN 12). */
const OVERRUN_MS = 2000

/** What a connection is made of. */
export interface Parts {
  readonly makeWorker: () => Worker
  /** Gives back the worker's table as promises. */
  readonly wrap: (worker: Worker) => WorkerClient
  readonly ranks: RankUrls
}

/** Starts the worker and waits for its handshake. Rejects with `engine-lost` and the reason. */
export async function connect(parts: Parts, deadlines: Deadlines): Promise<Connection> {
  const worker = start(parts.makeWorker)
  const death = new Death()
  const table = parts.wrap(worker)
  // At once: the message waits for the worker, which gets the files while it starts. One that does not know it speaks
  // another protocol, and is refused for that.
  table.useRanks(parts.ranks).catch(() => {})
  const end = (reason: string) => {
    worker.terminate()
    death.dies(reason)
  }
  try {
    const { lock } = await handshake(worker, table, deadlines.startMs)
    if (lock !== undefined) watchLock(lock, death)
  } catch (error) {
    end('start')
    throw error
  }
  worker.addEventListener('error', (event) => {
    event.preventDefault()
    end('an uncaught error in the worker')
  })
  return { table, lost: death.lost, end, watch: () => death.watch(table, deadlines.silenceMs, end) }
}

/** Some engines throw where a policy forbids the worker, others fire an event. */
function start(makeWorker: () => Worker): Worker {
  try {
    return makeWorker()
  } catch (error) {
    throw lostError(`the worker could not be made: ${String(error)}`)
  }
}

const CURES =
  'check that the worker file is served, that the content policy allows it, or pass `worker` or `workerUrl`'

/**
 * Resolves when the worker holds its lock, from which on its death is noticed. One that said so before it was
 * handed over says it again when it is asked.
 */
function handshake(worker: Worker, table: WorkerClient, deadlineMs: number): Promise<WorkerState> {
  return new Promise((resolve, reject) => {
    const fail = (problem: string) => {
      clearTimeout(timer)
      reject(lostError(`${problem}; ${CURES}`))
    }
    const tooLate = () => fail(`the worker did not answer within ${deadlineMs} ms`)
    const timer = setTimeout(tooLate, deadlineMs)
    const hear = (state: WorkerState) => {
      if (state.protocol !== PROTOCOL) {
        fail(`the worker speaks protocol ${state.protocol}, the page ${PROTOCOL}`)
      } else if (state.alive) {
        clearTimeout(timer)
        resolve(state)
      }
    }
    worker.addEventListener('error', (event) => {
      event.preventDefault() // handled here: it is no error of the page
      fail(`the worker failed to start${event.message ? `: ${event.message}` : ''}`)
    })
    worker.addEventListener('messageerror', () => {
      fail('the worker sent a message that cannot be read')
    })
    worker.addEventListener('message', ({ data }: MessageEvent<WorkerSignal>) => {
      if (data?.tamp) hear(data.tamp)
    })
    const refused = (error: unknown) => fail(`the worker refused a ping: ${String(error)}`)
    table.ping().then(hear, refused)
  })
}

/** Gives back the error of a lost engine. */
export function lostError(reason: string): TampError {
  return new TampError('engine-lost', `the engine was lost: ${reason}`, { reason })
}

/** The end of one worker: told once, by whoever notices it first. */
class Death {
  readonly lost: Promise<never>
  private reject: (error: TampError) => void = () => {}
  private readonly ended = new AbortController()
  private waiting = 0
  private timer: ReturnType<typeof setInterval> | undefined

  constructor() {
    this.lost = new Promise((_, reject) => {
      this.reject = reject
    })
    this.lost.catch(() => {}) // each call that waits has its own branch
  }

  get signal(): AbortSignal {
    return this.ended.signal
  }

  dies(reason: string): void {
    if (this.timer !== undefined) clearInterval(this.timer)
    this.timer = undefined
    this.reject(lostError(reason))
    this.ended.abort()
  }

  /** Asks for signs of life for as long as anybody waits. */
  watch(table: WorkerClient, silenceMs: number, end: (reason: string) => void): () => void {
    this.waiting++
    if (this.timer === undefined && !this.ended.signal.aborted)
      this.startPinging(table, silenceMs, end)
    return () => {
      if (--this.waiting > 0 || this.timer === undefined) return
      clearInterval(this.timer)
      this.timer = undefined
    }
  }

  private startPinging(
    table: WorkerClient,
    silenceMs: number,
    end: (reason: string) => void,
  ): void {
    let lastSign = performance.now()
    let lastTick = lastSign
    const ping = () => {
      table.ping().then(
        () => {
          lastSign = performance.now()
        },
        () => {}, // a ping that fails is no sign of life, and that is all it says
      )
    }
    ping()
    this.timer = setInterval(() => {
      const now = performance.now()
      if (now - lastTick > PING_MS + OVERRUN_MS) lastSign = now
      lastTick = now
      if (now - lastSign > silenceMs) end(`no sign of life for ${silenceMs} ms`)
      else ping()
    }, PING_MS)
  }
}

/** When the page gets the lock that the worker held, the worker is dead. */
function watchLock(lock: string, death: Death): void {
  const { signal } = death
  navigator.locks
    .request(lock, { signal }, () => death.dies('the worker ended'))
    .catch(() => {
      // the request was given up because the worker was ended on purpose
    })
}
