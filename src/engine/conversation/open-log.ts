import { TampError } from '../../core/errors.ts'
import type { IdentityOf } from '../../core/log/append.ts'
import type {
  ConversationHead,
  LogEntry,
  MessageEntry,
  ReplyDraft,
  Room,
} from '../../core/log/entry.ts'
import { Log } from '../../core/log/log.ts'
import { replay } from '../../core/log/replay.ts'
import type { Change, LogStore, StoredConversation } from '../../storage/log-store.ts'
import type { StorageNotice, StorageState } from '../conversation-jobs.ts'
import { uniqueId } from '../unique-id.ts'

/** What a change of the log wants; the head follows from it. */
export interface LogChange {
  readonly add?: readonly LogEntry[]
  readonly replace?: readonly LogEntry[]
  /** Where the active path ends now. */
  readonly tip?: number
  readonly room?: Room
  readonly putDrafts?: readonly ReplyDraft[]
  readonly dropDrafts?: readonly string[]
  /** True to delete the conversation. */
  readonly erase?: boolean
}

/** Decides a change from what the log is at that moment; `undefined` for none. */
export type Decide = (log: Log, drafts: readonly ReplyDraft[]) => LogChange | undefined

/** What is done before a change, in its turn: nothing else changes the log meanwhile but other tabs. */
export type Ready = () => Promise<ChangeNeeds>

export interface ChangeNeeds {
  /** Native messages that the change may write. */
  readonly natives: readonly unknown[]
  /** With it a store that fails rejects; otherwise the change then holds in memory. */
  readonly durableOnly?: boolean
}

/** Where a log is, and what is told about it. */
export interface OpenLogOptions {
  readonly store: LogStore
  readonly conversation: string
  /** The incarnation that the page knows; another one means it was deleted. */
  readonly incarnation: string | undefined
  readonly identityOf: IdentityOf
  readonly notice: (notice: StorageNotice) => void
}

/** A store that failed is not asked again before so many milliseconds have passed. */
const RETRY_MS = 2_000

/** First words of a conversation, for lists: at most so many characters. */
const PREVIEW_CHARACTERS = 120

/**
 * The log of one conversation, in memory and in its store. Where the store fails, the log goes on in memory; what is
 * not stored yet is stored, renumbered where another tab wrote meanwhile, as soon as the store takes it again.
 */
export class OpenLog {
  log = new Log()
  head: ConversationHead | undefined
  drafts: readonly ReplyDraft[] = []
  state: StorageState
  /** Another number whenever entries may have been renumbered: what refers to them is void then. */
  generation = 0
  /** Entries from this `seq` on are in memory alone. */
  private stored = 0
  /** What else is in memory alone. */
  private unsaved: Unsaved = NOTHING_UNSAVED
  /** The incarnation in the store; `undefined` while nothing of the conversation is there. */
  incarnation: string | undefined
  /** Where entries cannot be read: what the head says, and what comes of those that can. */
  private gapSum: { readonly of: string; readonly read: string } | undefined
  private failedAt = Number.NEGATIVE_INFINITY
  private turn: Promise<unknown> = Promise.resolve()
  private readonly options: OpenLogOptions

  private constructor(options: OpenLogOptions) {
    this.options = options
    this.incarnation = options.incarnation
    this.state = options.store.durable ? 'durable' : 'memory-only'
  }

  /** Reads the log. A store that cannot be read leaves an empty one in memory, and says so. */
  static async open(options: OpenLogOptions): Promise<OpenLog> {
    const opened = new OpenLog(options)
    try {
      await opened.readAgain()
    } catch (error) {
      opened.goOn(error)
    }
    return opened
  }

  private take(found: StoredConversation): void {
    const isOther = this.incarnation !== undefined && found.head?.incarnation !== this.incarnation
    if (isOther || (this.incarnation !== undefined && found.head?.deleted)) {
      throw deletedError(this.options)
    }
    if (!found.head || found.head.deleted) return
    this.incarnation = found.head.incarnation
    this.head = found.head
    this.drafts = found.drafts
    this.log.add(found.entries)
    this.stored = this.log.count
  }

  /** True where entries are missing that the head speaks of. */
  get hasGap(): boolean {
    const { head, log } = this
    return head !== undefined && (head.count !== log.count || head.checksum !== log.checksum)
  }

  /** Reads what other tabs stored meanwhile. */
  async refresh(): Promise<void> {
    await this.change({ natives: [] }, () => undefined)
  }

  /**
   * Stores what `decide` makes of the log as it is at that moment. Changes of one log follow one another, each with
   * what makes it ready.
   */
  change(needs: ChangeNeeds | Ready, decide: Decide): Promise<LogChange | undefined> {
    const next = this.turn.then(async () =>
      this.changeNow(typeof needs === 'function' ? await needs() : needs, decide),
    )
    this.turn = next.catch(() => {}) // the caller has the error; the next change goes on
    return next
  }

  private async changeNow(
    { natives, durableOnly = false }: ChangeNeeds,
    decide: Decide,
  ): Promise<LogChange | undefined> {
    const waits = this.failedAt + RETRY_MS > performance.now()
    if (waits && !durableOnly) return this.changeInMemory(decide)
    try {
      await this.storeTheRest()
      const made = await this.changeInStore(natives, decide)
      this.recover()
      return made
    } catch (error) {
      if (durableOnly || !isStorageError(error)) throw error
      this.goOn(error)
      return this.changeInMemory(decide)
    }
  }

  private async changeInStore(
    natives: readonly unknown[],
    decide: Decide,
  ): Promise<LogChange | undefined> {
    let wanted: LogChange | undefined
    let isReplaced = false
    const { done } = await this.options.store.change(this.request(natives), (found) => {
      this.take(found)
      isReplaced = this.isReplaced
      wanted = isReplaced ? undefined : decide(this.log, this.drafts)
      return wanted && this.rowsOf(wanted)
    })
    if (isReplaced) {
      await this.readAgain()
      return this.changeInStore(natives, decide)
    }
    if (done && wanted) {
      this.hold(wanted, done.head)
      this.incarnation = done.head.incarnation
    }
    return wanted
  }

  /** True where another tab put other entries in the place of some: the log in memory is not the one in the store. */
  private get isReplaced(): boolean {
    const { head, log } = this
    return head !== undefined && log.count === head.count && log.checksum !== this.soundSum(head)
  }

  /** What the checksum must be: that of the head, or of what could be read where entries were missing from the start. */
  private soundSum(head: ConversationHead): string {
    return this.gapSum?.of === head.checksum ? this.gapSum.read : head.checksum
  }

  private async readAgain(): Promise<void> {
    const found = await this.options.store.read(this.options.conversation)
    this.log = new Log()
    this.generation++
    this.take(found)
    this.gapSum =
      this.hasGap && this.head ? { of: this.head.checksum, read: this.log.checksum } : undefined
  }

  private changeInMemory(decide: Decide): LogChange | undefined {
    const wanted = decide(this.log, this.drafts)
    if (!wanted) return undefined
    const { head } = this.rowsOf(wanted)
    const { stored } = this
    this.hold(wanted, head)
    this.stored = stored
    this.unsaved = unsavedAfter(this.unsaved, wanted)
    return wanted
  }

  private request(natives: readonly unknown[]) {
    const { conversation } = this.options
    return { conversation, incarnation: this.incarnation, fromSeq: this.stored, natives }
  }

  private rowsOf(wanted: LogChange): Change {
    const { add = [], replace = [], putDrafts = [], dropDrafts = [], erase = false } = wanted
    return { head: this.headAfter(wanted, add), add, replace, putDrafts, dropDrafts, erase }
  }

  private headAfter(wanted: LogChange, add: readonly LogEntry[]): ConversationHead {
    const now = Date.now()
    const head = this.head ?? newHead(this.options.conversation, now)
    const replace = wanted.replace ?? []
    const after = withReplaced(this.log, replace).extended(add)
    const forgets = replace.some((entry) => entry.type === 'forgotten')
    const kept = forgets ? previewOf(withReplaced(this.log, replace).entries()) : head.preview
    const onlyDrafts = add.length === 0 && replace.length === 0 && wanted.tip === undefined
    const isSilent = onlyDrafts && wanted.room === undefined && !wanted.erase
    return {
      ...head,
      revision: isSilent ? head.revision : head.revision + 1,
      count: wanted.erase ? 0 : after.count,
      checksum: wanted.erase ? '' : after.checksum,
      tip: wanted.tip ?? head.tip,
      updatedAt: isSilent ? head.updatedAt : now,
      preview: wanted.erase ? '' : kept || previewOf(add),
      deleted: wanted.erase ?? false,
      room: wanted.room ?? head.room,
    }
  }

  private hold(wanted: LogChange, head: ConversationHead): void {
    const { add = [], replace = [], putDrafts = [], dropDrafts = [] } = wanted
    if (replace.length > 0) this.generation++
    this.log = withReplaced(this.log, replace)
    this.log.add(add)
    this.head = head
    const gone = new Set([...dropDrafts, ...putDrafts.map((draft) => draft.turnId)])
    this.drafts = [...this.drafts.filter(({ turnId }) => !gone.has(turnId)), ...putDrafts]
    this.stored = this.log.count
  }

  /** Brings what is in memory alone into the store, behind what other tabs stored meanwhile. */
  private async storeTheRest(): Promise<void> {
    const entries = this.log.entries(this.stored)
    if (entries.length === 0 && this.unsaved === NOTHING_UNSAVED) return
    const natives = entries.flatMap((entry) => (entry.type === 'message' ? [entry.native] : []))
    const before = { log: this.log, head: this.head, drafts: this.drafts, stored: this.stored }
    const shared = new Log(this.log.entries().filter((entry) => entry.seq < before.stored))
    let rest: Rest | undefined
    const decide = (found: StoredConversation) => {
      this.log = shared
      this.take(found)
      rest = this.restOf(entries, before.stored)
      return this.rowsOf(rest.change)
    }
    try {
      const { done } = await this.options.store.change(this.request(natives), decide)
      if (!done || !rest) return
      this.hold(rest.change, done.head)
      this.incarnation = done.head.incarnation
      this.unsaved = NOTHING_UNSAVED
      if (rest.isRenumbered) this.generation++
    } catch (error) {
      Object.assign(this, before)
      throw error
    }
  }

  /** What is in memory alone, as a change of what the store holds. */
  private restOf(entries: readonly LogEntry[], shared: number): Rest {
    const { identityOf } = this.options
    const { added, numberOf } = replay(this.log, entries, { shared, identityOf })
    const { tip, room, putDrafts, dropDrafts } = this.unsaved
    const change: LogChange = {
      add: added,
      putDrafts: putDrafts.map((draft) => ({ ...draft, parent: numberOf(draft.parent) })),
      dropDrafts: [...dropDrafts, ...answeredBy(added, this.drafts)],
      ...(tip === undefined ? {} : { tip: numberOf(tip) }),
      ...(room === undefined ? {} : { room }),
    }
    return { change, isRenumbered: entries.some(({ seq }) => numberOf(seq) !== seq) }
  }

  private goOn(error: unknown): void {
    if (!isStorageError(error)) throw error
    this.failedAt = performance.now()
    this.tell(stateAfter(error), error.code, error.message)
  }

  /** What a newer version took over is not to be had again before a reload. */
  tell(state: StorageState, code: string, message: string): void {
    if (state === this.state || this.state === 'superseded') return
    this.state = state
    this.options.notice({ state, code, message })
  }

  private recover(): void {
    this.failedAt = Number.NEGATIVE_INFINITY
    const state = this.options.store.durable ? 'durable' : 'memory-only'
    this.tell(state, 'recovered', 'everything is stored again')
  }
}

/** What is in memory alone beside entries. */
interface Unsaved extends Pick<LogChange, 'tip' | 'room'> {
  readonly putDrafts: readonly ReplyDraft[]
  readonly dropDrafts: readonly string[]
}

interface Rest {
  readonly change: LogChange
  readonly isRenumbered: boolean
}

const NOTHING_UNSAVED: Unsaved = { putDrafts: [], dropDrafts: [] }

function unsavedAfter(before: Unsaved, wanted: LogChange): Unsaved {
  const { tip = before.tip, room = before.room, putDrafts = [], dropDrafts = [] } = wanted
  const gone = new Set([...dropDrafts, ...putDrafts.map(({ turnId }) => turnId)])
  return {
    putDrafts: [...before.putDrafts.filter(({ turnId }) => !gone.has(turnId)), ...putDrafts],
    dropDrafts: [...before.dropDrafts, ...dropDrafts],
    ...(tip === undefined ? {} : { tip }),
    ...(room === undefined ? {} : { room }),
  }
}

/** Gives back the turns whose replies were cut off and are answered by what came instead. */
export function answeredBy(
  added: readonly LogEntry[],
  drafts: readonly ReplyDraft[],
): readonly string[] {
  const parents = new Set(added.flatMap((entry) => (entry.type === 'message' ? entry.parent : [])))
  return drafts.filter(({ parent }) => parents.has(parent)).map(({ turnId }) => turnId)
}

/** The log with other entries in the place of some. */
function withReplaced(log: Log, replace: readonly LogEntry[]): Log {
  if (replace.length === 0) return log
  const replaced = new Map(replace.map((entry) => [entry.seq, entry]))
  return new Log(log.entries().map((entry) => replaced.get(entry.seq) ?? entry))
}

function newHead(conversation: string, now: number): ConversationHead {
  return {
    conversation,
    incarnation: uniqueId(),
    revision: 0,
    count: 0,
    checksum: '',
    tip: -1,
    createdAt: now,
    updatedAt: now,
    preview: '',
    deleted: false,
    room: undefined,
  }
}

function previewOf(entries: readonly LogEntry[]): string {
  const first = entries.find(
    (entry): entry is MessageEntry => entry.type === 'message' && entry.origin === 'person',
  )
  return first ? firstWords(first.native) : ''
}

/** The first text anywhere in a native message, in whatever format it is. */
function firstWords(native: unknown): string {
  const { content } = native as { content?: unknown } // any message may be looked into
  const blocks = Array.isArray(content) ? content : [{ text: content }]
  const text = blocks.map((block) => block?.text).find((value) => typeof value === 'string') ?? ''
  return [...text.slice(0, PREVIEW_CHARACTERS * 2)].slice(0, PREVIEW_CHARACTERS).join('')
}

function stateAfter(error: TampError): StorageState {
  if (error.code === 'quota-exceeded') return 'quota'
  if (error.code === 'newer-version') return 'superseded'
  return 'memory-only'
}

function isStorageError(error: unknown): error is TampError {
  if (!(error instanceof TampError)) return false
  return ['storage-failed', 'quota-exceeded', 'newer-version'].includes(error.code)
}

/** The error for a conversation that was deleted. */
export function deletedError({ conversation }: { readonly conversation: string }): TampError {
  return new TampError('deleted', `the conversation ${JSON.stringify(conversation)} was deleted`, {
    conversation,
  })
}
