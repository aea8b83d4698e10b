import type { ConversationHead, LogEntry, ReplyDraft } from '../core/log/entry.ts'

/** What a store holds of one conversation. */
export interface StoredConversation {
  /** `undefined` where nothing was ever stored under the name. */
  readonly head: ConversationHead | undefined
  /** Oldest first. A message that cannot be read is a stone (`forgotten`) in its place; the checksum then tells. */
  readonly entries: readonly LogEntry[]
  readonly drafts: readonly ReplyDraft[]
}

/** What a change starts from. */
export interface ChangeRequest {
  readonly conversation: string
  /** The incarnation that the caller knows; `undefined` where it knows none. */
  readonly incarnation: string | undefined
  /** Entries from this `seq` on are news to the caller. Of another incarnation all are. */
  readonly fromSeq: number
  /** Native messages that the change may write: large ones are deflated before the transaction opens. */
  readonly natives: readonly unknown[]
}

/** One logical change. Everything in it is stored, or nothing is. */
export interface Change {
  /** The head row as it shall be. */
  readonly head: ConversationHead
  /**
   * New entries, numbered behind all that are stored: the change rejects where a number is taken, so that two tabs can
   * never give the same one. That no key is given twice is for whoever decides to see to.
   */
  readonly add?: readonly LogEntry[]
  /** Entries that take the place of those with the same `seq`, which must be there. */
  readonly replace?: readonly LogEntry[]
  readonly putDrafts?: readonly ReplyDraft[]
  /** Turns whose drafts go. */
  readonly dropDrafts?: readonly string[]
  /** True to take away all entries and drafts of the head's incarnation, before anything is added. */
  readonly erase?: boolean
}

/** What a change found and did. */
export interface ChangeOutcome {
  /** What was stored when the transaction read it: the news since `fromSeq`, all drafts. */
  readonly found: StoredConversation
  /** What was stored on top; `undefined` where `decide` wanted nothing. */
  readonly done: Change | undefined
}

/** What a store tells of itself behind the back of its callers. */
export type StoreSignal =
  /** Another tab holds an older version open; opening waits, up to a deadline. */
  | 'blocked'
  /** A newer version took over: this connection is closed for good. */
  | 'superseded'
  /** The browser closed the connection; the next call opens another. */
  | 'closed'

/**
 * Keeps logs. Every promise settles, with a value or with a TampError: `storage-failed` (`details.step` is `open`,
 * `read`, `write` or `commit`; `details.cause` the engine's own words), `quota-exceeded`, or `newer-version` for a
 * database of a later Tamp, which is left untouched.
 *
 * A change that rejected left nothing behind; one that resolved is on disk where `durable` is true.
 */
export interface LogStore {
  /** True where what is stored outlives the page. */
  readonly durable: boolean
  /** The heads of all conversations, the newest change first, deleted ones left out. */
  readonly heads: () => Promise<readonly ConversationHead[]>
  readonly read: (conversation: string) => Promise<StoredConversation>
  /**
   * Reads what is new and stores what `decide` makes of it, in one transaction. `decide` is synchronous and pure;
   * `undefined` stores nothing. What it throws ends the transaction without a trace and rejects as itself.
   */
  readonly change: (
    request: ChangeRequest,
    decide: (found: StoredConversation) => Change | undefined,
  ) => Promise<ChangeOutcome>
  readonly onSignal: (listener: (signal: StoreSignal) => void) => void
  /** Ends the connection. Calls after it reject with `storage-failed`. */
  readonly close: () => void
}
