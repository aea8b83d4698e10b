import type { Edit } from '../edit.ts'
import type { Format } from '../model.ts'
import type { CompactionReport, Trigger } from '../report.ts'

/** Who brought a message into the conversation. */
export type Origin = 'person' | 'model' | 'tool' | 'app'

interface EntryBase {
  /** Position in the log of the conversation, from 0, allotted inside the transaction that stored the entry. */
  readonly seq: number
  /** When it was stored, in milliseconds since 1970. For people alone: order is by `seq`, clocks jump. */
  readonly at: number
}

/** A message as it was first seen. The log is a tree: `parent` is what stood before it. */
export interface MessageEntry extends EntryBase {
  readonly type: 'message'
  /** `seq` of the message before it; -1 for the first one. Always below its own `seq`. */
  readonly parent: number
  /** Hash of the parent's key and of what the message means (`keyOf`). */
  readonly key: string
  readonly format: Format
  /** A plain copy of the provider's own message. */
  readonly native: unknown
  readonly origin: Origin
  /** What its parts count, so that a reload counts nothing anew. Neither key nor checksum knows of it. */
  readonly counts?: MessageCounts
}

/** Tokens of a message, as they were counted when it was stored. */
export interface MessageCounts {
  /** Name of the encoding that they were counted with. */
  readonly encoding: string
  /** Number of the rules that they were counted by (`COUNTING_RULES`). */
  readonly rules: number
  /** Of the speaker's name; 0 for none. */
  readonly name: number
  /** Of each part, in the order of the unit's parts. */
  readonly parts: readonly number[]
}

/** Another name of a message: what Tamp's own output is recognised by when an app sends it back. */
export interface Alias {
  /** Key of the written message, chained from the key of the message before it. */
  readonly key: string
  /** The last original that the written message stands for. */
  readonly seq: number
}

/** New results that were shrunk before they were ever sent (DESIGN 5.2), or only further names of what was sent. */
export interface CaptureEntry extends EntryBase {
  readonly type: 'capture'
  readonly edits: readonly Edit[]
  readonly aliases: readonly Alias[]
}

/** A compaction: all edits from the originals to the view, the earlier ones included. */
export interface CompactionEntry extends EntryBase {
  readonly type: 'compaction'
  readonly strategy: string
  readonly trigger: Trigger
  /** The deepest message that the edits rest on: they hold on every path that it lies on. */
  readonly through: number
  /** Messages on the path when it was made: what comes behind is joined to nothing. */
  readonly depth: number
  readonly edits: readonly Edit[]
  readonly aliases: readonly Alias[]
  readonly report: CompactionReport
}

/** Takes a compaction back: the one before it holds again. */
export interface UndoEntry extends EntryBase {
  readonly type: 'undo'
  /** Names the call that wanted it: one that is repeated, because its answer got lost, does nothing more. */
  readonly action: string
  /** `seq` of the compaction. */
  readonly compaction: number
}

/** Brings a compaction back that was undone. */
export interface RedoEntry extends EntryBase {
  readonly type: 'redo'
  readonly action: string
  /** `seq` of the compaction. */
  readonly compaction: number
}

/** The conversation was under the trigger again after a compaction that had ended above it (SEEDS Z6). */
export interface LoweredEntry extends EntryBase {
  readonly type: 'lowered'
  /** `seq` of the compaction. */
  readonly compaction: number
}

/** What a provider reported of one request, in tokens; what it did not say is `undefined`. */
export interface UsageEntry extends EntryBase {
  readonly type: 'usage'
  /** `seq` of the reply. */
  readonly message: number
  readonly model: string | undefined
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  readonly cacheReadTokens: number | undefined
  readonly cacheWriteTokens: number | undefined
  /** What Tamp had counted for the request. */
  readonly countedTokens: number
}

/** The place of a message that was forgotten: what hangs below it keeps its parent. */
export interface ForgottenEntry extends EntryBase {
  readonly type: 'forgotten'
  readonly parent: number
  readonly key: string
}

/** The place of an entry that was taken away with what it spoke of. */
export interface VoidEntry extends EntryBase {
  readonly type: 'void'
}

/** One record of a log. Records are added; only `forget` puts another in the place of one. */
export type LogEntry =
  | MessageEntry
  | CaptureEntry
  | CompactionEntry
  | UndoEntry
  | RedoEntry
  | LoweredEntry
  | UsageEntry
  | ForgottenEntry
  | VoidEntry

/** What is known of a conversation without reading its log. */
export interface ConversationHead {
  readonly conversation: string
  /** Which of the conversations of this name it is: another after a deletion. */
  readonly incarnation: string
  /** Goes up by one with each change of the log. */
  readonly revision: number
  /** Entries in the log, which are also the `seq` of the next one. */
  readonly count: number
  /** Rolling checksum over all entries in order (`extendChecksum`). */
  readonly checksum: string
  /** `seq` of the message that the active path ends with; -1 while there is none. */
  readonly tip: number
  readonly createdAt: number
  readonly updatedAt: number
  /** First words of the first message of a person, for lists. */
  readonly preview: string
  /** True for the stone that stands where a deleted conversation was: its log is gone, appends are refused. */
  readonly deleted: boolean
  /** What the last request said of the room there is; a compaction by hand goes by it. */
  readonly room: Room | undefined
}

/** What a request said of the room there is, in tokens. */
export interface Room {
  readonly model: string | undefined
  readonly windowTokens: number
  readonly reserveTokens: number
  readonly overheadTokens: number
}

/** A reply that is still streaming, as far as it came. */
export interface ReplyDraft {
  /** The turn that the reply belongs to. */
  readonly turnId: string
  /** `seq` of the message that it answers. */
  readonly parent: number
  readonly format: Format
  /** The provider's own message, as far as it came. Plain data. */
  readonly message: unknown
  readonly at: number
}
