import type { Edit, EditPlace } from '../edit.ts'
import { type IdentityOf, placeOf } from './append.ts'
import type { Alias, CaptureEntry, CompactionEntry, LogEntry } from './entry.ts'
import { Log } from './log.ts'

/**
 * Gives back the entries of another log as they would follow in this one: what is there already is left out, the
 * rest is numbered anew, keys of messages included. What the entries refer to is among them, or stands in both logs
 * under the same number below `shared`.
 */
export function replay(
  log: Log,
  entries: readonly LogEntry[],
  { shared, identityOf }: { readonly shared: number; readonly identityOf: IdentityOf },
): Replayed {
  const numbers = new Map<number, number>()
  const to: Renumber = (seq) => (seq < shared ? seq : (numbers.get(seq) ?? -1))
  const after = new Log(log.entries())
  const others = new Map(log.entries().map((entry) => [withoutSeq(entry), entry.seq]))
  const added: LogEntry[] = []
  for (const entry of entries) {
    const made = keyed(after, renumbered(entry, after.count, to), identityOf)
    const known = 'key' in made ? after.seqOfKey(made.key) : others.get(withoutSeq(made))
    numbers.set(entry.seq, known ?? made.seq)
    if (known !== undefined) continue
    after.add([made])
    added.push(made)
  }
  return { added, numberOf: to }
}

/** What a log came to in another one. */
export interface Replayed {
  readonly added: readonly LogEntry[]
  /** Gives back the new number of an entry; -1 for one that is not there. */
  readonly numberOf: (seq: number) => number
}

/** The key of a message hangs on the log that it is in; a stone has nothing to make another from. */
function keyed(log: Log, entry: LogEntry, identityOf: IdentityOf): LogEntry {
  if (entry.type !== 'message') return entry
  return { ...entry, key: placeOf(log, log.keyAt(entry.parent), identityOf(entry), identityOf).key }
}

function withoutSeq(entry: LogEntry): string {
  return 'key' in entry ? entry.key : JSON.stringify({ ...entry, seq: undefined }, inOrderOfNames)
}

/** An entry that was read from a file has its fields in another order. */
function inOrderOfNames(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Gives back the new number of an entry; -1, the place before the first one, stays. */
type Renumber = (seq: number) => number

/** Gives back an entry under another number, all that it refers to renumbered too. */
function renumbered(entry: LogEntry, seq: number, to: Renumber): LogEntry {
  switch (entry.type) {
    case 'message':
    case 'forgotten':
      return { ...entry, seq, parent: to(entry.parent) }
    case 'capture':
      return { ...entry, seq, edits: renumberEdits(entry.edits, to), aliases: names(entry, to) }
    case 'compaction': {
      const edits = renumberEdits(entry.edits, to)
      return { ...entry, seq, through: to(entry.through), edits, aliases: names(entry, to) }
    }
    case 'undo':
    case 'redo':
    case 'lowered':
      return { ...entry, seq, compaction: to(entry.compaction) }
    case 'usage':
      return { ...entry, seq, message: to(entry.message) }
    case 'void':
      return { ...entry, seq }
    default:
      return entry satisfies never
  }
}

function names(entry: CaptureEntry | CompactionEntry, to: Renumber): readonly Alias[] {
  return entry.aliases.map((alias) => ({ ...alias, seq: to(alias.seq) }))
}

function renumberEdits(edits: readonly Edit[], to: Renumber): readonly Edit[] {
  return edits.map((edit): Edit => {
    if (edit.type === 'insert') return { ...edit, place: renumberPlace(edit.place, to) }
    if (edit.type !== 'move') return { ...edit, seq: to(edit.seq) }
    return { ...edit, seq: to(edit.seq), place: renumberPlace(edit.place, to) }
  })
}

function renumberPlace(place: EditPlace, to: Renumber): EditPlace {
  return 'into' in place ? { ...place, into: to(place.into) } : { ...place, after: to(place.after) }
}
