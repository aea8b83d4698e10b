import type { ConversationHead, LogEntry, ReplyDraft } from '../core/log/entry.ts'
import { type Deflated, type DeflatedNatives, inflate } from './deflate.ts'

/** An entry as it lies in the database. */
export interface LogRow {
  readonly incarnation: string
  readonly seq: number
  /** Of messages and forgotten ones, for the unique index. */
  readonly key?: string
  /** Its native is `undefined` where `deflated` holds it. */
  readonly entry: LogEntry
  readonly deflated?: Deflated
}

/** A draft as it lies in the database: it goes with its incarnation, as the log does. */
export interface DraftRow {
  readonly incarnation: string
  readonly turnId: string
  readonly draft: ReplyDraft
}

/** What one transaction read of a conversation. */
export interface StoredRows {
  readonly head: ConversationHead | undefined
  readonly log: readonly LogRow[]
  readonly drafts: readonly DraftRow[]
}

/** By `seq`: a native and the bytes that it was inflated from. It is `undefined` where they are damaged. */
export type Inflated = ReadonlyMap<
  number,
  { readonly deflated: Deflated; readonly native: unknown }
>

/** Gives back the row of an entry; a native that `deflated` knows lies in it in that form. */
export function rowOf(incarnation: string, entry: LogEntry, deflated: DeflatedNatives): LogRow {
  const place = { incarnation, seq: entry.seq, ...('key' in entry ? { key: entry.key } : {}) }
  const bytes = entry.type === 'message' ? deflated.get(entry.native) : undefined
  if (entry.type !== 'message' || bytes === undefined) return { ...place, entry }
  return { ...place, entry: { ...entry, native: undefined }, deflated: bytes }
}

/** The deflated rows among `rows` whose natives `inflated` does not hold. */
export function rowsToInflate(rows: readonly LogRow[], inflated: Inflated): readonly LogRow[] {
  return rows.filter(
    ({ seq, deflated }) => deflated && !sameBytes(deflated, inflated.get(seq)?.deflated),
  )
}

/** Inflates the natives of all rows that have a deflated one. */
export async function inflateRows(rows: readonly LogRow[]): Promise<Inflated> {
  const inflated = rows.map(async ({ seq, deflated }) =>
    deflated ? [[seq, { deflated, native: await inflateOrNothing(deflated) }] as const] : [],
  )
  return new Map((await Promise.all(inflated)).flat())
}

/**
 * Gives back the entries of rows in their order. What cannot be read is a stone in its place: its
 * number and key stay taken, and what hangs below it keeps its parent. The row itself stays as it is.
 */
export function entriesOf(rows: readonly LogRow[], inflated: Inflated): LogEntry[] {
  return rows.map((row) => {
    const { entry, deflated, seq } = row
    if (entry?.seq !== seq) return stoneOf(row, { at: 0, parent: -1 })
    if (deflated === undefined || entry.type !== 'message') return entry
    const native = inflated.get(seq)?.native
    return native === undefined ? stoneOf(row, entry) : { ...entry, native }
  })
}

function stoneOf({ seq, key }: LogRow, { at, parent }: { at: number; parent: number }): LogEntry {
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
