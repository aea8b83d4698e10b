import type { ConversationHead, LogEntry, ReplyDraft } from '../core/log/entry.ts'
import { newestFirst } from './heads.ts'
import type {
  Change,
  ChangeOutcome,
  ChangeRequest,
  LogStore,
  StoredConversation,
} from './log-store.ts'
import { storageError } from './storage-error.ts'

/** What is kept of one incarnation. */
interface Rows {
  readonly entries: Map<number, LogEntry>
  readonly seqOfKey: Map<string, number>
  readonly drafts: Map<string, ReplyDraft>
}

/** Takes back what was done so far, the last first. */
type Undo = (() => void)[]

const noRows = (): Rows => ({ entries: new Map(), seqOfKey: new Map(), drafts: new Map() })

/**
 * Gives back a store that forgets with the page. What it keeps and what it gives out are copies: nobody can alter
 * what is stored but through `change`.
 */
export function memoryStore(): LogStore {
  return new MemoryStore()
}

class MemoryStore implements LogStore {
  readonly durable = false
  private readonly headOf = new Map<string, ConversationHead>()
  private readonly rowsOf = new Map<string, Rows>()
  private closed = false

  async heads(): Promise<readonly ConversationHead[]> {
    this.checkOpen()
    return newestFirst(structuredClone([...this.headOf.values()]))
  }

  async read(conversation: string): Promise<StoredConversation> {
    this.checkOpen()
    return this.find({ conversation, incarnation: undefined, fromSeq: 0 })
  }

  async change(
    request: ChangeRequest,
    decide: (found: StoredConversation) => Change | undefined,
  ): Promise<ChangeOutcome> {
    this.checkOpen()
    const found = this.find(request)
    const done = decide(found)
    if (done) this.store(done)
    return { found, done }
  }

  /** Nothing happens to a page's own memory behind the back of its callers. */
  onSignal(): void {}

  close(): void {
    this.closed = true
  }

  private checkOpen(): void {
    if (this.closed) throw storageError('open', 'the store is closed')
  }

  private find(request: Omit<ChangeRequest, 'natives'>): StoredConversation {
    const head = this.headOf.get(request.conversation)
    if (!head) return { head, entries: [], drafts: [] }
    const { entries, drafts } = this.rowsOf.get(head.incarnation) ?? noRows()
    const from = head.incarnation === request.incarnation ? request.fromSeq : 0
    const news = [...entries.values()].filter(({ seq }) => seq >= from)
    return structuredClone({
      head,
      entries: news.sort((a, b) => a.seq - b.seq),
      drafts: [...drafts.values()].sort((a, b) => (a.turnId < b.turnId ? -1 : 1)),
    })
  }

  private store(change: Change): void {
    const { conversation, incarnation } = change.head
    const copy = copyOf(change)
    const rows = (change.erase ? undefined : this.rowsOf.get(incarnation)) ?? noRows()
    changeRows(rows, copy)
    const replaced = this.headOf.get(conversation)
    if (change.erase && replaced) this.rowsOf.delete(replaced.incarnation)
    this.rowsOf.set(incarnation, rows)
    this.headOf.set(conversation, copy.head)
  }
}

function copyOf(change: Change): Change {
  try {
    return structuredClone(change)
  } catch (error) {
    throw storageError('write', error)
  }
}

/** Changes the rows, or leaves them as they were where an entry is refused. */
function changeRows(rows: Rows, change: Change): void {
  const undo: Undo = []
  try {
    for (const entry of change.replace ?? []) place(rows, entry, undo)
    for (const entry of change.add ?? []) {
      if (rows.entries.has(entry.seq)) throw conflict(`seq ${entry.seq}`)
      place(rows, entry, undo)
    }
  } catch (error) {
    for (const takeBack of undo.toReversed()) takeBack()
    throw error
  }
  for (const turnId of change.dropDrafts ?? []) rows.drafts.delete(turnId)
  for (const draft of change.putDrafts ?? []) rows.drafts.set(draft.turnId, draft)
}

function place({ entries, seqOfKey }: Rows, entry: LogEntry, undo: Undo): void {
  const replacedKey = keyOf(entries.get(entry.seq))
  if (replacedKey !== undefined) set(seqOfKey, replacedKey, undefined, undo)
  const key = keyOf(entry)
  if (key !== undefined) {
    if (seqOfKey.has(key)) throw conflict(`key ${key}`)
    set(seqOfKey, key, entry.seq, undo)
  }
  set(entries, entry.seq, entry, undo)
}

function keyOf(entry: LogEntry | undefined): string | undefined {
  return entry && 'key' in entry ? entry.key : undefined
}

/** Sets a value, or deletes it where it is `undefined`. */
function set<Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  value: Value | undefined,
  undo: Undo,
): void {
  const before = map.get(key)
  undo.push(() => set(map, key, before, []))
  if (value === undefined) map.delete(key)
  else map.set(key, value)
}

function conflict(what: string) {
  return storageError('write', `ConstraintError: the log has an entry of ${what} already`)
}
