/** A conversation in memory, for tests of the page's state: a tree of messages, drafts, undo by epoch. */
import type {
  CompactionRecord,
  CompactionReport,
  Conversation,
  ConversationEvents,
  ConversationSnapshot,
  ConversationSummary,
  Format,
  TranscriptMessage,
} from 'tamp'
import type { NativeMessage } from '../../demo/chat/opening.ts'
import { contentText } from '../../demo/chat/sent.ts'

interface Entry {
  readonly seq: number
  readonly parent: number
  readonly native: NativeMessage
}

interface FakeFitted {
  readonly request: FakeRequest
  readonly report: CompactionReport
}

/** What a conversation of the fake is made with. */
export interface FakeParts {
  /** Fits one request; throws what `prepare` shall reject with. */
  readonly fit: (request: FakeRequest) => FakeFitted | Promise<FakeFitted>
  readonly measure: Conversation['measure']
}

export interface FakeRequest {
  readonly messages: readonly NativeMessage[]
}

/** What several tabs share: the store. */
export class FakeLog {
  readonly entries: Entry[] = []
  readonly compactions: { report: CompactionReport; through: number; undone: boolean }[] = []
  readonly drafts = new Map<number, NativeMessage>()
  readonly changes = new EventTarget()
  tip = -1
  format: Format = 'openai-chat'
  revision = 0
  /** What the next transcripts wait for. */
  reading: Promise<unknown> = Promise.resolve()
  deleted = false

  changed(): void {
    this.revision += 1
    this.changes.dispatchEvent(new Event('change'))
  }

  append(parent: number, native: NativeMessage): number {
    const text = JSON.stringify(native)
    const known = this.entries.find(
      (entry) => entry.parent === parent && JSON.stringify(entry.native) === text,
    )
    const seq = known?.seq ?? this.entries.length
    if (known === undefined) this.entries.push({ seq, parent, native: structuredClone(native) })
    return seq
  }

  path(tip: number): readonly Entry[] {
    const entry = this.entries[tip]
    return entry === undefined ? [] : [...this.path(entry.parent), entry]
  }

  /** The newest end below a message. */
  tipThrough(seq: number): number {
    const child = this.entries.findLast(({ parent }) => parent === seq)
    return child === undefined ? seq : this.tipThrough(child.seq)
  }
}

/** Opens a conversation over a log, as one tab does. */
export function fakeConversation(id: string, log: FakeLog, parts: FakeParts): Conversation {
  const check = () => {
    if (log.deleted) throw Object.assign(new Error('gone'), { code: 'deleted', details: {} })
  }
  const listen = (listener: () => void) => {
    log.changes.addEventListener('change', listener)
    return () => log.changes.removeEventListener('change', listener)
  }
  const record = (index: number): CompactionRecord | undefined => records(log)[index]
  const fake = {
    id,
    async prepare(request: FakeRequest, { format }: { format: Format }) {
      check()
      log.format = format
      const history = request.messages.filter(({ role }) => role !== 'system')
      log.tip = history.reduce((parent, native) => log.append(parent, native), -1)
      log.changed()
      const { tip } = log
      const fitted = await parts.fit(request)
      if (fitted.report.outcome === 'compacted') {
        log.compactions.push({ report: fitted.report, through: tip, undone: false })
      }
      return { ...fitted, ...replyTo(log, tip) }
    },
    async compact() {
      check()
      const { report } = await parts.fit({ messages: [] })
      log.compactions.push({ report, through: log.tip, undone: false })
      log.changed()
      return report
    },
    async undo() {
      const index = log.compactions.findLastIndex(({ undone }) => !undone)
      return setUndone(log, index, true) ? record(index) : undefined
    },
    async redo() {
      const index = log.compactions.findIndex(({ undone }) => undone)
      return setUndone(log, index, false) ? record(index) : undefined
    },
    compactions: async () => records(log),
    measure: parts.measure,
    async transcript({ through }: { through?: number } = {}) {
      check()
      await log.reading
      return transcriptOf(log, through === undefined ? log.tip : log.tipThrough(through))
    },
    export: async () => JSON.stringify({ entries: log.entries, tip: log.tip }),
    async import(file: string | Blob) {
      const { entries, tip } = JSON.parse(typeof file === 'string' ? file : await file.text())
      log.entries.push(...entries)
      log.tip = tip
      log.changed()
    },
    async delete() {
      log.deleted = true
      log.changed()
    },
    on: (event: keyof ConversationEvents, listener: () => void) =>
      event === 'change' ? listen(listener) : () => {},
    subscribe: listen,
    getSnapshot: () => snapshotOf(log),
  }
  // The page calls these members alone; the generics of the others cannot be written for a fake.
  return fake as unknown as Conversation
}

function replyTo(log: FakeLog, parent: number) {
  let isSettled = false
  return {
    draft(partial: NativeMessage) {
      if (!isSettled) log.drafts.set(parent, partial)
    },
    async settle({ message }: { message: NativeMessage }) {
      isSettled = true
      log.drafts.delete(parent)
      log.tip = log.append(parent, message)
      log.changed()
    },
  }
}

function setUndone(log: FakeLog, index: number, undone: boolean): boolean {
  const compaction = log.compactions[index]
  if (compaction === undefined) return false
  compaction.undone = undone
  log.changed()
  return true
}

function records(log: FakeLog): readonly CompactionRecord[] {
  const standing = log.compactions.findLastIndex(({ undone }) => !undone)
  return log.compactions.map(({ report, through, undone }, index) => ({
    ...{ epoch: index + 1, trigger: report.trigger, report, through, undone, at: 0 },
    foldedThrough: undefined,
    active: index === standing,
  }))
}

function transcriptOf(log: FakeLog, tip: number): readonly TranscriptMessage[] {
  const rest = { format: log.format, origin: 'person', at: 0 } as const
  const messages = log.path(tip).map(({ seq, parent, native }) => {
    const branches = log.entries.filter((entry) => entry.parent === parent)
    const seqs = branches.map((entry) => entry.seq)
    return { ...rest, seq, message: native, interrupted: false, branches: seqs }
  })
  const draft = log.drafts.get(tip)
  if (draft === undefined) return messages
  const interrupted = { seq: undefined, message: draft, interrupted: true, branches: [] }
  return [...messages, { ...rest, ...interrupted }]
}

function snapshotOf(log: FakeLog): ConversationSnapshot {
  return {
    storage: 'durable',
    messages: log.path(log.tip).length,
    compactions: log.compactions.length,
    compacting: false,
    canUndo: log.compactions.some(({ undone }) => !undone),
    canRedo: log.compactions.some(({ undone }) => undone),
    revision: log.revision,
  }
}

/** The row of a conversation in the list of all. */
export function summaryOf(id: string, log: FakeLog): ConversationSummary {
  const first = log.entries[0]?.native
  const preview = first === undefined ? '' : contentText(first)
  return { id, preview, createdAt: 0, updatedAt: log.revision }
}
