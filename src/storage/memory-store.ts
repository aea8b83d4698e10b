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

/** What is kept of one incarnation. Never changed: a change puts another in its place. */
interface Rows {
  readonly entries: ReadonlyMap<number, LogEntry>
  readonly drafts: ReadonlyMap<string, ReplyDraft>
}

const NO_ROWS: Rows = { entries: new Map(), drafts: new Map() }

/**
 * Gives back a store that forgets with the page. What it keeps and what it gives out are copies: nobody can alter
 * what is stored but through `change`, which is linear in the references to the log, not in its bytes.
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
    const { entries, drafts } = this.rowsOf.get(head.incarnation) ?? NO_ROWS
    const from = head.incarnation === request.incarnation ? request.fromSeq : 0
    const news = [...entries.values()].filter(({ seq }) => seq >= from)
    return structuredClone({
      head,
      entries: news.sort((a, b) => a.seq - b.seq),
      drafts: [...drafts.values()].sort((a, b) => (a.turnId < b.turnId ? -1 : 1)),
    })
  }

  /** All that may fail comes before the first thing that is kept. */
  private store(change: Change): void {
    const { conversation, incarnation } = change.head
    const copy = copyOf(change)
    const before = change.erase ? NO_ROWS : (this.rowsOf.get(incarnation) ?? NO_ROWS)
    const rows = changedRows(before, copy)
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

function changedRows(before: Rows, change: Change): Rows {
  const [entries, drafts] = [new Map(before.entries), new Map(before.drafts)]
  for (const entry of change.replace ?? []) entries.set(entry.seq, entry)
  for (const entry of change.add ?? []) {
    if (entries.has(entry.seq)) throw conflict(`seq ${entry.seq}`)
    entries.set(entry.seq, entry)
  }
  checkKeys(entries)
  for (const turnId of change.dropDrafts ?? []) drafts.delete(turnId)
  for (const draft of change.putDrafts ?? []) drafts.set(draft.turnId, draft)
  return { entries, drafts }
}

function checkKeys(entries: ReadonlyMap<number, LogEntry>): void {
  const keys = new Set<string>()
  for (const entry of entries.values()) {
    if (!('key' in entry)) continue
    if (keys.has(entry.key)) throw conflict(`key ${entry.key}`)
    keys.add(entry.key)
  }
}

function conflict(what: string) {
  return storageError('write', `ConstraintError: the log has an entry of ${what} already`)
}
