import type { Format } from '../core/model.ts'
import type { CompactionReport } from '../core/report.ts'
import type {
  CompactionRecord,
  ImportReport,
  StorageState,
  TranscriptMessage,
} from '../engine/conversation-jobs.ts'
import type { Measurement } from '../engine/engine.ts'

/** What a conversation looks like now. A new object only where something changed. */
export interface ConversationSnapshot {
  readonly storage: StorageState
  /** Messages on the active path. */
  readonly messages: number
  /** Compactions that were ever committed. */
  readonly compactions: number
  readonly compacting: boolean
  readonly canUndo: boolean
  readonly canRedo: boolean
  /** Goes up by one with each stored change, also of other tabs. */
  readonly revision: number
}

/** A request that may be sent, and what is to be told about its answer. */
export interface Turn<R> {
  /** The very same object where nothing had to be done. */
  readonly request: R
  readonly report: CompactionReport
  /**
   * Keeps the reply as far as it came, so that a reload finds it, marked as interrupted. `partial` is the provider's
   * message so far. Stored at most every 250 ms. Does nothing once the turn is settled.
   */
  readonly draft: (partial: object) => void
  /**
   * Stores the reply and drops the draft. `message` is the provider's own message, as the app will send it back;
   * `usage` the provider's own report. A second call with the same message does nothing; with another one it
   * rejects with `invalid-conversation`. After a `prepare` that failed it stores question and reply, or rejects.
   */
  readonly settle: (answer: { readonly message: object; readonly usage?: unknown }) => Promise<void>
}

/** What can be listened to on a conversation. */
export interface ConversationEvents {
  /** A model is about to be asked for a summary. */
  'compaction:start': { readonly jobId: string }
  'compaction:end': CompactionReport
  /** Something was due and nothing could be done, or is not tried again for now; the report says why. */
  'compaction:skipped': CompactionReport
  'compaction:failed': CompactionReport
  storage: { readonly state: StorageState; readonly code: string; readonly message: string }
  /** Something was stored, here or in another tab. */
  change: ConversationSnapshot
}

/**
 * One conversation, kept whole on the device. It is there at once; its methods wait for the store.
 *
 * Methods reject with `deleted` once it was deleted (from this tab or another one), and with `engine-lost` where no
 * engine can be had, or `ranks-unavailable` where something is to be counted and cannot be. `prepare` alone never rejects for a fault of Tamp's own.
 */
export interface Conversation {
  readonly id: string
  /**
   * Gives back a request that is legal, within the window, and made from the app's full history, which is stored
   * first. Between two compactions what comes back only grows at its end.
   *
   * Rejects for an abort, for `invalid-conversation`, `unknown-format`, `cannot-fit` and `deleted`, and with an
   * error of the app's own summarizer. Any other fault gives the request back as it was, the report's outcome
   * `failed` with the reason.
   */
  readonly prepare: <R extends object>(
    request: R,
    options?: { readonly format?: Format; readonly signal?: AbortSignal },
  ) => Promise<Turn<R>>
  /**
   * Compacts the active path now, by the same way as `prepare`. `focus` names what must survive. Rejects with
   * `summarizer-unavailable` where the fallback is `none` and no summarizer is there.
   */
  readonly compact: (options?: {
    readonly focus?: string
    readonly signal?: AbortSignal
  }) => Promise<CompactionReport>
  /** Takes the newest compaction of the active path back. `undefined` where there is none. */
  readonly undo: () => Promise<CompactionRecord | undefined>
  /** Brings back what was undone last. `undefined` where there is nothing. */
  readonly redo: () => Promise<CompactionRecord | undefined>
  /** All compactions, oldest first. */
  readonly compactions: () => Promise<readonly CompactionRecord[]>
  /** What this history would take once it was prepared, by segment. Stores nothing. */
  readonly measure: (
    request: object,
    options?: { readonly format?: Format; readonly signal?: AbortSignal },
  ) => Promise<Measurement>
  /** The active path word for word, oldest first; with `through`, the newest path that leads through that message. */
  readonly transcript: (options?: {
    readonly through?: number
  }) => Promise<readonly TranscriptMessage[]>
  /** The whole log, all branches and compactions included, as JSON text. */
  readonly export: () => Promise<string>
  /**
   * Adds what an exported file holds; what is there already stays. Rejects with `newer-version` or
   * `invalid-conversation` (`details.path`) and changes nothing then.
   */
  readonly import: (file: string | Blob) => Promise<ImportReport>
  /** Really deletes: log, drafts and compactions. Other tabs that still hold the conversation get `deleted`. */
  readonly delete: () => Promise<void>
  /**
   * Really forgets one message, with every compaction that covered it. `ref` is its `seq`, the message object as it
   * was sent, or its native `id`. Resolves with whether it was found.
   */
  readonly forget: (ref: number | string | object) => Promise<boolean>
  /** Listens to an event; the function it gives back stops that. */
  readonly on: <E extends keyof ConversationEvents>(
    event: E,
    listener: (detail: ConversationEvents[E]) => void,
    options?: { readonly signal?: AbortSignal },
  ) => () => void
  /** For stores of frameworks: calls back after each change; the function it gives back stops that. */
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => ConversationSnapshot
}
