import type { ErrorData } from '../core/errors.ts'
import type { EngineMethod } from './engine.ts'
import type { RankUrls } from './rank-urls.ts'

/** What page and worker agree on; a worker file of another version is refused by its number. */
export const PROTOCOL = 2

/** What a worker says of itself. */
export interface WorkerState {
  readonly protocol: number
  /** True once it holds its lock, or where the engine has no locks. */
  readonly alive: boolean
  /** The name of a Web Lock that the worker holds for as long as it lives. */
  readonly lock: string | undefined
}

/** The messages that a worker posts beside Comlink's own: in its first synchronous turn, and when it holds its lock. */
export interface WorkerSignal {
  readonly tamp: WorkerState
}

/** What each call answers: errors cross as data. */
export type CallOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: ErrorData }

/** The flat table that the worker exposes. */
export interface WorkerTable {
  readonly call: (callId: string, method: EngineMethod, job: unknown) => Promise<CallOutcome>
  /** Ends a call: what it still finds is thrown away. */
  readonly cancel: (callId: string) => void
  /** Says where the rank files lie; the page's first word, since nothing is counted before it. */
  readonly useRanks: (urls: RankUrls) => void
  /** A sign of life. */
  readonly ping: () => WorkerState
}

/** The same table as the page's side sees it: every answer is a promise. */
export interface WorkerClient {
  readonly call: (callId: string, method: EngineMethod, job: unknown) => Promise<CallOutcome>
  readonly cancel: (callId: string) => Promise<void>
  readonly useRanks: (urls: RankUrls) => Promise<void>
  readonly ping: () => Promise<WorkerState>
}
