import type { ConversationHead, LogEntry, ReplyDraft } from '../core/log/entry.ts'
import { type Deflated, type DeflatedNatives, inflate } from './deflate.ts'

/** Entries that follow one another, as they lie in the database. */
export interface BatchRow {
  readonly incarnation: string
  /** `seq` of the last entry: the rows from a `seq` on are those that hold an entry from it on. */
  readonly seq: number
  /** `seq` of the first entry. */
  readonly from: number
  /** Keys of messages and forgotten ones, which outlive an entry that cannot be read. */
  readonly keys: readonly (string | undefined)[]
  /** The native of a message is `undefined` where `deflated` holds it. */
  readonly entries: readonly (LogEntry | undefined)[]
  /** Natives in deflated form, each with the `seq` of its message. */
  readonly deflated: readonly (readonly [seq: number, bytes: Deflated])[]
}

/** A row of version 1 of the schema, which held one entry; it is read, and written no more. */
export interface EntryRow {
  readonly incarnation: string
  readonly seq: number
  readonly key?: string
  readonly entry: LogEntry | undefined
  readonly deflated?: Deflated
}

export type LogRow = BatchRow | EntryRow

/** A draft as it lies in the database: it goes with its incarnation, as the log does. */
export interface DraftRow {
  readonly incarnation: string
  readonly turnId: string
  readonly draft: ReplyDraft
}

/** What one transaction read of a conversation. */
export interface StoredRows {
  readonly head: ConversationHead | undefined
  /** The rows that hold entries from `from` on; the first may hold earlier ones too. */
  readonly log: readonly LogRow[]
  readonly from: number
  readonly drafts: readonly DraftRow[]
}

/** By `seq`: a native and the bytes that it was inflated from. It is `undefined` where they are damaged. */
export type Inflated = ReadonlyMap<
  number,
  { readonly deflated: Deflated; readonly native: unknown }
>

/** The place of one entry in a row. */
interface Slot {
  readonly seq: number
  readonly key: string | undefined
  readonly entry: LogEntry | undefined
  readonly deflated: Deflated | undefined
}

const MAX_ROW_ENTRIES = 64
/**
 * With two bytes a character a row stays below 64 KB, from which on Chromium moves a value out of its row into a file
 * of its own (BROWSERS 2.1). One entry may be larger: then it is alone in its row.
 */
const MAX_ROW_CHARACTERS = 24_000

/** Gives back the rows of entries, which are in order; natives that `deflated` knows lie in them in that form. */
export function batchRowsOf(
  incarnation: string,
  entries: readonly LogEntry[],
  deflated: DeflatedNatives,
): readonly BatchRow[] {
  const rows: BatchRow[] = []
  let slots: Slot[] = []
  let characters = 0
  const end = () => {
    if (slots.length > 0) rows.push(rowOf(incarnation, slots))
    slots = []
    characters = 0
  }
  for (const entry of entries) {
    const slot = slotOf(entry, deflated)
    const size = charactersIn(slot.entry) + (slot.deflated?.length ?? 0)
    const follows = slots.at(-1)?.seq === entry.seq - 1
    const isFull = slots.length >= MAX_ROW_ENTRIES || characters + size > MAX_ROW_CHARACTERS
    if (!follows || isFull) end()
    slots.push(slot)
    characters += size
  }
  end()
  return rows
}

/** True where a row has a place for the entry of this `seq`. */
export function holds(row: LogRow, seq: number): boolean {
  return seq <= row.seq && seq >= ('from' in row ? row.from : row.seq)
}

/**
 * Gives back a row with those of `entries` that it has a place for in the place of its own. What stands beside them
 * stays as it lies there, damaged or not.
 */
export function rewrittenRow(
  row: LogRow,
  entries: readonly LogEntry[],
  deflated: DeflatedNatives,
): BatchRow {
  const bySeq = new Map(entries.map((entry) => [entry.seq, slotOf(entry, deflated)]))
  return rowOf(
    row.incarnation,
    slotsOf(row).map((slot) => bySeq.get(slot.seq) ?? slot),
  )
}

function slotOf(entry: LogEntry, deflated: DeflatedNatives): Slot {
  const { seq } = entry
  const key = 'key' in entry ? entry.key : undefined
  const bytes = entry.type === 'message' ? deflated.get(entry.native) : undefined
  if (entry.type !== 'message' || !bytes) return { seq, key, entry, deflated: undefined }
  return { seq, key, entry: { ...entry, native: undefined }, deflated: bytes }
}

/** Makes a row of slots that follow one another. */
function rowOf(incarnation: string, slots: readonly Slot[]): BatchRow {
  return {
    incarnation,
    seq: slots.at(-1)?.seq ?? 0,
    from: slots[0]?.seq ?? 0,
    keys: slots.map(({ key }) => key),
    entries: slots.map(({ entry }) => entry),
    deflated: slots.flatMap(({ seq, deflated }) => (deflated ? [[seq, deflated] as const] : [])),
  }
}

function slotsOf(row: LogRow): readonly Slot[] {
  if (!('from' in row)) {
    const { seq, key, entry, deflated } = row
    return [{ seq, key, entry, deflated }]
  }
  const { seq: last, from, keys, entries, deflated } = row
  const bytes = new Map(deflated)
  return Array.from({ length: last - from + 1 }, (_, index) => {
    const seq = from + index
    // Of a damaged row these lists may be missing.
    return { seq, key: keys?.[index], entry: entries?.[index], deflated: bytes.get(seq) }
  })
}

/** Characters of all texts in a value. */
function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let characters = 0
  for (const inner of Object.values(value)) characters += charactersIn(inner)
  return characters
}

/** What of `rows` has to be inflated: the slots of deflated natives that `inflated` does not hold. */
export function slotsToInflate(rows: StoredRows, inflated: Inflated): readonly Slot[] {
  return newSlots(rows).filter(
    ({ seq, deflated }) => deflated && !sameBytes(deflated, inflated.get(seq)?.deflated),
  )
}

/** Inflates all natives of rows that lie there in deflated form. */
export async function inflateRows(rows: StoredRows): Promise<Inflated> {
  const inflated = slotsToInflate(rows, new Map()).map(async ({ seq, deflated }) =>
    deflated ? [[seq, { deflated, native: await inflateOrNothing(deflated) }] as const] : [],
  )
  return new Map((await Promise.all(inflated)).flat())
}

/**
 * Gives back the entries of rows in their order. What cannot be read is a stone in its place: its
 * number and key stay taken, and what hangs below it keeps its parent. The row itself stays as it is.
 */
export function entriesOf(rows: StoredRows, inflated: Inflated): LogEntry[] {
  return newSlots(rows).map((slot) => {
    const { entry, deflated, seq } = slot
    if (entry?.seq !== seq) return stoneOf(slot, { at: 0, parent: -1 })
    if (deflated === undefined || entry.type !== 'message') return entry
    const native = inflated.get(seq)?.native
    return native === undefined ? stoneOf(slot, entry) : { ...entry, native }
  })
}

/** The places from `from` on. */
function newSlots({ log, from }: StoredRows): readonly Slot[] {
  const slots = log.flatMap(slotsOf)
  return (slots[0]?.seq ?? from) < from ? slots.filter(({ seq }) => seq >= from) : slots
}

function stoneOf({ seq, key }: Slot, { at, parent }: { at: number; parent: number }): LogEntry {
  return key === undefined ? { type: 'void', seq, at } : { type: 'forgotten', seq, at, parent, key }
}

/** A damaged native is a gap in the log, which head and checksum tell of: the rest stays readable. */
async function inflateOrNothing(deflated: Deflated): Promise<unknown> {
  try {
    return await inflate(deflated)
  } catch {
    return undefined
  }
}

function sameBytes(one: Deflated, other: Deflated | undefined): boolean {
  return one.length === other?.length && one.every((byte, index) => byte === other[index])
}
