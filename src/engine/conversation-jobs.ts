import type { CompactionState } from '../core/compaction-state.ts'
import type { Origin } from '../core/log/entry.ts'
import type { Format } from '../core/model.ts'
import type { CompactionReport, Trigger } from '../core/report.ts'
import type { ModelReply, ModelRequest } from '../core/summary.ts'
import type { Assembly, EngineOptions, Measurement } from './engine.ts'

/**
 * Where conversations are kept now. `durable`: on disk. `memory-only`: no disk store is to be had, or none was
 * wanted. `quota`: the disk refused, the conversation goes on in memory and is stored as soon as there is room.
 * `blocked`: another tab holds an older version open. `superseded`: a newer version of Tamp took over in another
 * tab; reload.
 */
export type StorageState = 'durable' | 'memory-only' | 'quota' | 'blocked' | 'superseded'

/** Where conversations are kept: in the database of this name, or in memory alone. */
export type StoreChoice = { readonly name: string } | 'memory'

/** Names a conversation in each job. */
export interface ConversationRef {
  readonly conversation: string
  readonly store: StoreChoice
  /** The incarnation that the page saw; `undefined` before it saw any. */
  readonly incarnation: string | undefined
}

/** One message of a transcript, verbatim. */
export interface TranscriptMessage {
  /** Names the message in this conversation; `undefined` for a reply that never came to its end. */
  readonly seq: number | undefined
  /** A plain copy of the provider's own message, in its format. */
  readonly message: unknown
  readonly format: Format
  readonly origin: Origin
  /** True for a reply that was cut off: what is here came through before. */
  readonly interrupted: boolean
  /** Milliseconds since 1970. */
  readonly at: number
  /**
   * `seq` of the messages that stand in the same place on other branches, this one included, oldest first. One
   * where nothing was edited or regenerated here.
   */
  readonly branches: readonly number[]
}

/** A compaction of the conversation. */
export interface CompactionRecord {
  /** Counts the compactions of the conversation, from 1. */
  readonly epoch: number
  readonly trigger: Trigger
  readonly report: CompactionReport
  /** True where it stands in what the next request on the active path is made from. */
  readonly active: boolean
  readonly undone: boolean
  /** `seq` of the deepest message that it rests on: it holds on every path that this message lies on. */
  readonly through: number
  /** `seq` of the last message that the checkpoint stands for; `undefined` where nothing was folded. */
  readonly foldedThrough: number | undefined
  readonly at: number
}

/** What an import did. */
export interface ImportReport {
  readonly addedMessages: number
  readonly addedCompactions: number
  /** Messages that were there already. */
  readonly knownMessages: number
}

/** A conversation in the list of all. */
export interface ConversationSummary {
  readonly id: string
  /** First words of the first message of a person. */
  readonly preview: string
  readonly createdAt: number
  readonly updatedAt: number
}

/** Said when the place where a conversation is kept changes, or when something of it is missing. */
export interface StorageNotice {
  readonly state: StorageState
  /** A code of TampError, `recovered` when everything is stored again, or `gap` where entries are missing. */
  readonly code: string
  readonly message: string
}

/** What a conversation looks like, told with each answer. */
export interface ConversationLook {
  readonly incarnation: string | undefined
  readonly storage: StorageState
  readonly messages: number
  readonly compactions: number
  readonly canUndo: boolean
  readonly canRedo: boolean
  readonly revision: number
}

/** An answer, with what the conversation looks like after it and what happened to its storage meanwhile. */
export interface Answered<T> {
  readonly value: T
  readonly look: ConversationLook
  readonly notices: readonly StorageNotice[]
}

/**
 * How a history differs from the one that the page sent before. Large ones come in several parts, the last of which
 * comes with the job that needs it.
 */
export interface HistoryUpdate {
  readonly format: Format
  /** The history that it starts from; `undefined` for an empty one. */
  readonly base: string | undefined
  /** Names the history that comes of it. */
  readonly token: string
  /** Messages in the whole history. */
  readonly length: number
  /** Messages of this part that differ, by index. */
  readonly changes: readonly (readonly [index: number, message: object])[]
  /** Parts that were staged before this one. */
  readonly part: number
}

/** The engine does not know the history that an update starts from: it is to be sent whole. */
export interface UnknownHistory {
  readonly type: 'unknown-history'
}

/** A part of a history that is on its way. */
export interface StageJob extends ConversationRef {
  readonly history: HistoryUpdate
}

/** A request of a conversation that is to be made fit for sending. */
export interface PrepareJob extends ConversationRef {
  readonly jobId: string
  /** Absent for a compaction by hand, which works on the active path. */
  readonly history?: HistoryUpdate
  /** The fields that the adapter reads, the list holding the leading messages alone. */
  readonly request?: Readonly<Record<string, unknown>>
  readonly options: EngineOptions
  /** Present for a compaction by hand. */
  readonly forced?: { readonly focus: string | undefined }
  /** True where the history is only to be stored: nothing is compacted. */
  readonly storeOnly?: boolean
  /** The assembly that the page has, by its token. */
  readonly known?: string | undefined
  /** Where to go on, with the answer to the last ask. */
  readonly resume?: { readonly state: CompactionState; readonly reply: ModelReply } | undefined
}

/** An assembly as it crosses: what the page has of the one before is not sent again. */
export interface AssemblyUpdate {
  readonly token: string
  /** Items at the start that are those of the assembly which the job named. */
  readonly kept: number
  /** Those behind them. */
  readonly items: Assembly
}

/** What the engine answers to it. */
export type PrepareAnswer =
  | { readonly type: 'ask'; readonly ask: ModelRequest; readonly state: CompactionState }
  | {
      readonly type: 'done'
      /** Of the conversation's messages, leading ones aside; `undefined` where they stay as they came. */
      readonly messages: AssemblyUpdate | undefined
      readonly report: CompactionReport
      /** Key of the message that the request ends with, which a renumbering leaves alone; empty for none. */
      readonly tipKey: string
    }
  | { readonly type: 'unknown-job' }
  | UnknownHistory

/** A history that is to be measured. */
export interface GaugeJob extends ConversationRef {
  readonly history: HistoryUpdate
  readonly request: Readonly<Record<string, unknown>>
  readonly options: EngineOptions
}

/** A reply as far as it came. */
export interface DraftJob extends ConversationRef {
  readonly turnId: string
  readonly format: Format
  /** Key of the message that it answers. */
  readonly parentKey: string
  readonly message: object
}

/** A reply that is whole. */
export interface SettleJob extends DraftJob {
  /** The provider's own report. */
  readonly usage: unknown
  readonly model: string | undefined
  /** What Tamp had counted for the request. */
  readonly countedTokens: number
}

/** An undo or redo. */
export interface MarkJob extends ConversationRef {
  /** Names the call, so that it does nothing more when it is repeated. */
  readonly action: string
}

/** What a conversation can be asked, by name. */
export interface ConversationMethods {
  readonly stage: (job: StageJob) => { readonly type: 'staged' } | UnknownHistory
  readonly prepare: (job: PrepareJob) => Answered<PrepareAnswer>
  /** Lets go of a job that nobody goes on with. */
  readonly abandon: (job: ConversationRef & { readonly jobId: string }) => undefined
  readonly gauge: (job: GaugeJob) => Measurement | UnknownHistory
  /** Reads what other tabs stored. */
  readonly look: (job: ConversationRef) => Answered<undefined>
  readonly draft: (job: DraftJob) => Answered<undefined>
  /** Gives back the `seq` of the reply. */
  readonly settle: (job: SettleJob) => Answered<number>
  readonly undo: (job: MarkJob) => Answered<CompactionRecord | undefined>
  readonly redo: (job: MarkJob) => Answered<CompactionRecord | undefined>
  readonly compactions: (job: ConversationRef) => Answered<readonly CompactionRecord[]>
  readonly transcript: (
    job: ConversationRef & {
      readonly through: number | undefined
      /** Turns whose replies are still coming: their drafts are not interrupted. */
      readonly liveTurns: readonly string[]
    },
  ) => Answered<readonly TranscriptMessage[]>
  readonly export: (job: ConversationRef) => Answered<string>
  readonly import: (job: ConversationRef & { readonly file: string }) => Answered<ImportReport>
  readonly delete: (job: ConversationRef) => undefined
  /** The message by its `seq`, by its native `id`, or as it was sent. */
  readonly forget: (
    job: ConversationRef & { readonly ref: number | string | object },
  ) => Answered<boolean>
  readonly conversations: (job: { readonly store: StoreChoice }) => readonly ConversationSummary[]
}
