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

/** A worker that was started. */
export interface Connection {
  readonly table: WorkerClient
  /** Resolves when the worker shook hands; never, where it is lost before. */
  readonly started: Promise<unknown>
  /** Aborts when the worker dies, falls silent or is ended; its reason is `engine-lost`. */
  readonly lost: AbortSignal
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

type End = (problem: string) => void

/** Starts the worker. Throws `engine-lost` where it cannot be made. */
export function connect({ makeWorker, wrap, ranks }: Parts, deadlines: Deadlines): Connection {
  const worker = start(makeWorker)
  const table = wrap(worker)
  // At once: the message waits for the worker, which gets the files while it starts. One that does not know it speaks
  // another protocol, and is refused for that.
  table.useRanks(ranks).catch(() => {})
  const death = new AbortController()
  const lost = death.signal
  const end: End = (reason) => {
    worker.terminate()
    death.abort(lostError(reason))
  }
  const started = handshake(worker, table, deadlines.startMs, end).then(({ lock }) => {
    // When the page gets the lock that the worker held, the worker is dead.
    const died = () => end('the worker ended')
    if (lock) navigator.locks.request(lock, { signal: lost }, died).catch(() => {}) // it was ended on purpose
  })
  return { table, started, lost, end, watch: heartbeat(table, deadlines.silenceMs, end) }
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
function handshake(
  worker: Worker,
  table: WorkerClient,
  deadlineMs: number,
  end: End,
): Promise<WorkerState> {
  return new Promise((resolve) => {
    let isStarted = false
    const fail: End = (problem) => end(isStarted ? problem : `${problem}; ${CURES}`)
    const tooLate = () => fail(`the worker did not answer within ${deadlineMs} ms`)
    const timer = setTimeout(tooLate, deadlineMs)
    const hear = (state: WorkerState) => {
      if (state.protocol !== PROTOCOL) {
        fail(`the worker speaks protocol ${state.protocol}, the page ${PROTOCOL}`)
      } else if (state.alive) {
        clearTimeout(timer)
        isStarted = true
        resolve(state)
      }
    }
    worker.addEventListener('error', (event) => {
      event.preventDefault() // handled here: it is no error of the page
      fail(`the worker failed: ${event.message}`)
    })
    // An answer that cannot be read would never come.
    worker.addEventListener('messageerror', () => fail('the worker sent what cannot be read'))
    worker.addEventListener('message', ({ data }: MessageEvent<WorkerSignal>) => {
      if (data?.tamp) hear(data.tamp)
    })
    table.ping().then(hear, (error) => fail(`the worker refused a ping: ${String(error)}`))
  })
}

/** Gives back the error of a lost engine. */
export function lostError(reason: string): TampError {
  return new TampError('engine-lost', `the engine was lost: ${reason}`, { reason })
}

/** Asks for signs of life for as long as anybody waits. */
function heartbeat(table: WorkerClient, silenceMs: number, end: End): () => () => void {
  let waiting = 0
  let timer: ReturnType<typeof setInterval> | undefined
  let lastSign = 0
  let lastTick = 0
  const ping = () => {
    table.ping().then(
      () => {
        lastSign = performance.now()
      },
      () => {}, // a ping that fails is no sign of life, and that is all it says
    )
  }
  const tick = () => {
    const now = performance.now()
    if (now - lastTick > PING_MS + OVERRUN_MS) lastSign = now
    lastTick = now
    if (now - lastSign > silenceMs) end(`no sign of life for ${silenceMs} ms`)
    else ping()
  }
  return () => {
    if (waiting++ === 0) {
      lastSign = lastTick = performance.now()
      ping()
      timer = setInterval(tick, PING_MS)
    }
    return () => {
      if (--waiting === 0) clearInterval(timer)
    }
  }
}
