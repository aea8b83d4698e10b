import type { ErrorData } from '../core/errors.ts'
import type { EngineMethod } from './engine.ts'

/** What page and worker agree on; a worker file of another version is refused by its number. */
export const PROTOCOL = 1

/** The messages that a worker posts beside Comlink's own. */
export type WorkerSignal =
  /** Posted in the worker's first synchronous turn. */
  | { readonly tamp: 'ready'; readonly protocol: number }
  /** The name of a Web Lock that the worker holds for as long as it lives. */
  | { readonly tamp: 'alive'; readonly lock: string }

/** What each call answers: errors cross as data. */
export type CallOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: ErrorData }

/** The flat table that the worker exposes. */
export interface WorkerTable {
  readonly call: (callId: string, method: EngineMethod, job: unknown) => Promise<CallOutcome>
  /** Ends a call: what it still finds is thrown away. */
  readonly cancel: (callId: string) => void
  /** A sign of life: the protocol that the worker speaks. */
  readonly ping: () => number
}

/** The same table as the page's side sees it: every answer is a promise. */
export interface WorkerClient {
  readonly call: (callId: string, method: EngineMethod, job: unknown) => Promise<CallOutcome>
  readonly cancel: (callId: string) => Promise<void>
  readonly ping: () => Promise<number>
}
