import { TampError } from '../../core/errors.ts'
import type { LogStore, StoreSignal } from '../../storage/log-store.ts'
import { memoryStore } from '../../storage/memory-store.ts'
import type {
  Answered,
  ConversationMethods,
  ConversationRef,
  StorageNotice,
  StorageState,
  StoreChoice,
} from '../conversation-jobs.ts'
import { exportLog, forget, importFile, keepDraft, redo, settle, undo } from './changes.ts'
import { EngineConversation, UNKNOWN_HISTORY } from './conversation.ts'
import { Histories } from './histories.ts'
import { OpenLog } from './open-log.ts'
import { activePath, compactionRecords, lookOf, summaryOf, transcriptOf } from './records.ts'
import { identityOfEntry } from './units.ts'

/** Makes the store of a name. */
export type StoreFactory = (name: string) => LogStore

/** The methods of conversations, each with the signal that ends its call. */
export type ConversationTable = {
  readonly [M in keyof ConversationMethods]: (
    job: Parameters<ConversationMethods[M]>[0],
    signal: AbortSignal | undefined,
  ) => Promise<ReturnType<ConversationMethods[M]>>
}

/** What the signals of a store mean for those who use it. */
const WORDS = {
  blocked: 'another tab holds an older version open; close it',
  superseded: 'a newer version of Tamp took over in another tab; reload',
} as const

interface Entry {
  readonly store: LogStore
  readonly conversation: Promise<EngineConversation>
  readonly histories: Histories
  readonly notices: StorageNotice[]
}

/** The conversations that the engine has open, by store and name. */
export class Conversations {
  private readonly stores = new Map<string, LogStore>()
  private readonly open = new Map<string, Entry>()
  private readonly makeStore: StoreFactory
  private readonly memory = memoryStore()

  constructor(makeStore: StoreFactory) {
    this.makeStore = makeStore
  }

  readonly table: ConversationTable = {
    // A long history comes while the log is read.
    stage: async (job) =>
      this.entryOf(job).histories.stage(job.history) ? { type: 'staged' } : UNKNOWN_HISTORY,
    prepare: (job, signal) => this.answer(job, (conversation) => conversation.prepare(job, signal)),
    abandon: async (job) => {
      const known = this.open.get(keyOf(job))
      if (known) (await known.conversation).abandon(job.jobId)
      return undefined
    },
    gauge: async (job) => (await this.entryOf(job).conversation).gauge(job),
    look: (job) => this.read(job, () => undefined),
    draft: (job) => this.answer(job, (conversation) => keepDraft(conversation, job)),
    settle: (job) => this.answer(job, (conversation) => settle(conversation, job)),
    undo: (job) => this.answer(job, ({ opened }) => undo(opened, job.action)),
    redo: (job) => this.answer(job, ({ opened }) => redo(opened, job.action)),
    compactions: (job) =>
      this.read(job, (opened) => compactionRecords(opened.log, activePath(opened))),
    transcript: (job) =>
      this.read(job, (opened) => {
        const { log, drafts } = opened
        const path =
          job.through === undefined ? activePath(opened) : log.newestPathThrough(job.through)
        const live = new Set(job.liveTurns)
        return transcriptOf(
          log,
          path,
          drafts.filter(({ turnId }) => !live.has(turnId)),
        )
      }),
    export: (job) => this.read(job, exportLog),
    import: (job) => this.answer(job, (conversation) => importFile(conversation, job.file)),
    delete: (job) => this.delete(job),
    forget: (job) => this.answer(job, ({ opened }) => forget(opened, job.ref)),
    conversations: async ({ store }) => (await this.storeOf(store).heads()).map(summaryOf),
  }

  private storeOf(choice: StoreChoice): LogStore {
    if (choice === 'memory') return this.memory
    const known = this.stores.get(choice.name)
    if (known) return known
    const store = this.makeStore(choice.name)
    this.stores.set(choice.name, store)
    store.onSignal((signal) => this.pass(store, signal))
    return store
  }

  /** Tells every conversation of a store what the store said of itself. */
  private pass(store: LogStore, signal: StoreSignal): void {
    if (signal === 'closed') return
    for (const { store: own, conversation } of this.open.values()) {
      if (own !== store) continue
      const told = ({ opened }: EngineConversation) => opened.tell(signal, signal, WORDS[signal])
      conversation.then(told, () => {}) // one that could not be opened has told its caller
    }
  }

  private entryOf(ref: ConversationRef): Entry {
    const key = keyOf(ref)
    const known = this.open.get(key)
    if (known) return known
    const notices: StorageNotice[] = []
    const store = this.storeOf(ref.store)
    const opened = OpenLog.open({
      store,
      conversation: ref.conversation,
      incarnation: ref.incarnation,
      identityOf: identityOfEntry,
      notice: (notice) => notices.push(notice),
    })
    const histories = new Histories()
    const conversation = opened.then((log) => new EngineConversation(log, histories))
    const entry: Entry = { store, conversation, histories, notices }
    this.open.set(key, entry)
    conversation.then(
      (made) => noteGap(made, notices),
      () => this.forgetEntry(key, entry),
    )
    return entry
  }

  private forgetEntry(key: string, entry: Entry): void {
    if (this.open.get(key) === entry) this.open.delete(key)
  }

  /** Answers from the log as it is in the store, other tabs' entries included. */
  private read<T>(ref: ConversationRef, run: (opened: OpenLog) => T): Promise<Answered<T>> {
    return this.answer(ref, async ({ opened }) => {
      await opened.refresh()
      return run(opened)
    })
  }

  private async answer<T>(
    ref: ConversationRef,
    run: (conversation: EngineConversation) => Promise<T>,
  ): Promise<Answered<T>> {
    const entry = this.entryOf(ref)
    try {
      const conversation = await entry.conversation
      checkIncarnation(ref, conversation.opened)
      const value = await run(conversation)
      return { value, look: lookOf(conversation.opened), notices: entry.notices.splice(0) }
    } catch (error) {
      if (error instanceof TampError && error.code === 'deleted') {
        this.forgetEntry(keyOf(ref), entry)
      }
      throw error
    }
  }

  private async delete(ref: ConversationRef): Promise<undefined> {
    const entry = this.entryOf(ref)
    const { opened } = await entry.conversation
    checkIncarnation(ref, opened)
    await opened.change({ natives: [], durableOnly: true }, () =>
      opened.head ? { erase: true } : undefined,
    )
    this.forgetEntry(keyOf(ref), entry)
    return undefined
  }

  close(): void {
    for (const store of [...this.stores.values(), this.memory]) store.close()
    this.open.clear()
  }
}

/** A page that saw another incarnation speaks of a conversation that was deleted. */
function checkIncarnation(ref: ConversationRef, opened: OpenLog): void {
  if (ref.incarnation === undefined || ref.incarnation === opened.incarnation) return
  const message = `the conversation ${JSON.stringify(ref.conversation)} was deleted`
  throw new TampError('deleted', message, { conversation: ref.conversation })
}

function noteGap({ opened }: EngineConversation, notices: StorageNotice[]): void {
  if (!opened.hasGap) return
  const state: StorageState = opened.state
  const { count = 0 } = opened.head ?? {}
  const message = `the log should have ${count} entries; ${opened.log.count} can be read`
  notices.push({ state, code: 'gap', message })
}

function keyOf({ store, conversation }: ConversationRef): string {
  return JSON.stringify([store, conversation])
}
