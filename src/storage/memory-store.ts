import type { ConversationHead, LogEntry, ReplyDraft } from '../core/log/entry.ts'
import { newestFirst } from './heads.ts'
import { conflict, inOrder } from './log-order.ts'
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
  /** Oldest first. */
  readonly entries: readonly LogEntry[]
  readonly drafts: ReadonlyMap<string, ReplyDraft>
}

const NO_ROWS: Rows = { entries: [], drafts: new Map() }

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
    const { entries, drafts } = this.rowsOf.get(head.incarnation) ?? NO_ROWS
    const from = head.incarnation === request.incarnation ? request.fromSeq : 0
    return structuredClone({
      head,
      entries: entries.slice(placeOf(entries, from)),
      drafts: [...drafts.values()].sort((a, b) => (a.turnId < b.turnId ? -1 : 1)),
    })
  }

  private store(change: Change): void {
    const { conversation, incarnation } = change.head
    const copy = copyOf(change)
    const before = (change.erase ? undefined : this.rowsOf.get(incarnation)) ?? NO_ROWS
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

/** Gives back the rows as they are after a change. */
function changedRows(before: Rows, { replace, add, dropDrafts, putDrafts }: Change): Rows {
  const drafts = new Map(before.drafts)
  for (const turnId of dropDrafts ?? []) drafts.delete(turnId)
  for (const draft of putDrafts ?? []) drafts.set(draft.turnId, draft)
  return { entries: changedEntries(before.entries, replace ?? [], add ?? []), drafts }
}

function changedEntries(
  before: readonly LogEntry[],
  replace: readonly LogEntry[],
  add: readonly LogEntry[],
): readonly LogEntry[] {
  const entries = [...before, ...inOrder(add, (before.at(-1)?.seq ?? -1) + 1)]
  for (const entry of replace) {
    const place = placeOf(before, entry.seq)
    if (before[place]?.seq !== entry.seq) throw conflict(`no seq ${entry.seq} to replace`)
    entries[place] = entry
  }
  return entries
}

/** Index of the first entry from a `seq` on. */
function placeOf(entries: readonly LogEntry[], seq: number): number {
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((entries[middle]?.seq ?? 0) < seq) low = middle + 1
    else high = middle
  }
  return low
}
