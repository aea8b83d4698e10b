import type { Part, Role, ToolResultPart, Unit, View } from './model.ts'
import { originalOf, positionOf } from './originals.ts'

interface EditBase {
  /** The pass, rung or rule that wants it. */
  readonly pass: string
  /** Why, in a few words, for the report. */
  readonly reason: string
  /** Tokens of the target before and after; 0 where nothing is freed. */
  readonly tokensBefore: number
  readonly tokensAfter: number
}

/** Gives one part a new text. A media part becomes text; a tool call gets new arguments. */
export interface RewriteEdit extends EditBase {
  readonly type: 'rewrite'
  readonly seq: number
  readonly part: number
  readonly text: string
}

/** Takes away one part, or the whole unit where `part` is `undefined`. */
export interface RemoveEdit extends EditBase {
  readonly type: 'remove'
  readonly seq: number
  readonly part?: number
}

/** What an insert brings: text, or a result that stands in for a missing one. */
export type InsertedContent =
  | { readonly type: 'text'; readonly text: string }
  | Pick<ToolResultPart, 'type' | 'callId' | 'text' | 'isError'>

/** Where inserted or moved content goes: inside a unit, or as a unit of its own behind `after` (-1: in front). */
export type EditPlace =
  | { readonly into: number; readonly at: 'start' | 'end' }
  | { readonly after: number; readonly role: Role }

/** Adds text or a result at a place. */
export interface InsertEdit extends EditBase {
  readonly type: 'insert'
  readonly place: EditPlace
  readonly content: InsertedContent
}

/** Moves one part, or the whole unit where `part` is `undefined`. Only repairs move. */
export interface MoveEdit extends EditBase {
  readonly type: 'move'
  readonly seq: number
  readonly part?: number
  readonly place: EditPlace
}

/** Gives a call or a result another id. Only the repair of ids that are used twice renames. */
export interface RenameEdit extends EditBase {
  readonly type: 'rename'
  readonly seq: number
  readonly part: number
  readonly callId: string
}

/** Takes a cache mark off a part. Only the repair of too many marks does it. */
export interface UnmarkEdit extends EditBase {
  readonly type: 'unmark'
  readonly seq: number
  readonly part: number
}

/**
 * One change to a history, as data. Targets are the `seq` and part index of originals, never projected text,
 * so that a batch of edits means the same whenever and wherever it is applied.
 */
export type Edit = RewriteEdit | RemoveEdit | InsertEdit | MoveEdit | RenameEdit | UnmarkEdit

/** Gives back the tokens that the edits free, taken together. Negative when they add more than they free. */
export function freedTokens(edits: readonly Edit[]): number {
  return edits.reduce((sum, edit) => sum + edit.tokensBefore - edit.tokensAfter, 0)
}

/**
 * Gives back both batches as one in which each target has at most one edit of a kind, and none lies inside a
 * removed unit. A later edit on the same target replaces the earlier one and takes over its `tokensBefore`.
 */
export function composeEdits(earlier: readonly Edit[], later: readonly Edit[]): readonly Edit[] {
  if (later.length === 0) return earlier
  const composed: Edit[] = []
  const positions = new Map<number, number>()
  for (const edit of [...earlier, ...later]) {
    const key = edit.type === 'insert' ? undefined : targetKey(edit)
    const at = key === undefined ? undefined : positions.get(key)
    const known = at === undefined ? undefined : composed[at]
    if (at !== undefined && known) composed[at] = { ...edit, tokensBefore: known.tokensBefore }
    else {
      if (key !== undefined) positions.set(key, composed.length)
      composed.push(edit)
    }
  }
  return absorbIntoRemovals(composed)
}

/**
 * Drops what lies inside removed units; the removal takes over what those edits had freed. Parts that moved
 * out of a removed unit stay, with their edits.
 */
function absorbIntoRemovals(edits: readonly Edit[]): readonly Edit[] {
  const freed = new Map<number, number>()
  for (const edit of edits) if (removesUnit(edit)) freed.set(edit.seq, 0)
  if (freed.size === 0) return edits
  const moved = new Set(edits.flatMap((edit) => (edit.type === 'move' ? partKey(edit) : [])))
  const kept = edits.filter((edit) => {
    const seq = edit.type === 'insert' ? anchorOf(edit) : edit.seq
    if (removesUnit(edit) || seq === undefined || !freed.has(seq)) return true
    if (edit.type !== 'insert' && moved.has(partKey(edit))) return true
    freed.set(seq, (freed.get(seq) ?? 0) + edit.tokensBefore - edit.tokensAfter)
    return false
  })
  return kept.map((edit) =>
    removesUnit(edit)
      ? { ...edit, tokensBefore: edit.tokensBefore + (freed.get(edit.seq) ?? 0) }
      : edit,
  )
}

/** More parts than a message is ever read into (`MAX_ITEMS` of a list). */
const MOST_PARTS = 1 << 21

/** A number for a part of a unit, or for the unit itself. */
function placeKey(seq: number, part: number | undefined): number {
  return seq * MOST_PARTS + (part === undefined ? 0 : part + 1)
}

function partKey({ seq, part }: Exclude<Edit, InsertEdit>): number {
  return placeKey(seq, part)
}

/** What an edit is about: of two that set the same text only one can hold. */
const ASPECTS = { rewrite: 0, remove: 0, move: 1, rename: 2, unmark: 3 } as const
const ASPECT_COUNT = 4

function targetKey(edit: Exclude<Edit, InsertEdit>): number {
  return partKey(edit) * ASPECT_COUNT + ASPECTS[edit.type]
}

function removesUnit(edit: Edit): edit is RemoveEdit {
  return edit.type === 'remove' && edit.part === undefined
}

/** The unit that an insert belongs to: a stand-in result leaves with the calls it stands behind. */
function anchorOf({ place }: InsertEdit): number | undefined {
  return 'into' in place ? place.into : place.after
}

/**
 * Gives back the view that the edits make of the originals: the edits given are all there are, earlier ones
 * included. Units that no edit touches are the very same objects. A unit left without content goes.
 * Units of one side that become neighbours through an edit are joined, neighbours in the input and originals
 * from `joinDepth` on are not.
 *
 * Throws a RangeError for a target that is not there. Linear in units and edits.
 */
export function applyEdits(base: View, edits: readonly Edit[]): View {
  const originals = base.originals
  if (edits.length === 0) return { ...base, units: originals }
  const batch = sortEdits(originals, edits)
  const units: Unit[] = [...(batch.behind.get(-1) ?? [])]
  for (const unit of originals) {
    if (!batch.gone.has(unit.seq)) units.push(...editedUnit(unit, batch))
    if (!batch.removed.has(unit.seq)) units.push(...(batch.behind.get(unit.seq) ?? []))
  }
  return { ...base, units: joinNeighbours(base, units) }
}

interface Batch {
  /** Units that are removed or stand elsewhere. */
  readonly gone: Set<number>
  /** Units that are removed: what was put behind them leaves with them. */
  readonly removed: Set<number>
  /** Changed parts by `seq` and index; `undefined` where the part is removed or stands elsewhere. */
  readonly parts: Map<number, Part | undefined>
  readonly touched: Set<number>
  /** Parts that come in, by unit. */
  readonly starts: Map<number, Part[]>
  readonly ends: Map<number, Part[]>
  /** Units that come in behind a unit. */
  readonly behind: Map<number, Unit[]>
}

function sortEdits(originals: readonly Unit[], edits: readonly Edit[]): Batch {
  const batch: Batch = {
    gone: new Set(),
    removed: new Set(),
    parts: new Map(),
    touched: new Set(),
    starts: new Map(),
    ends: new Map(),
    behind: new Map(),
  }
  for (const edit of edits) if (edit.type !== 'move') sortEdit(originals, batch, edit)
  for (const edit of edits) if (edit.type === 'move') moveTarget(originals, batch, edit)
  return batch
}

function sortEdit(originals: readonly Unit[], batch: Batch, edit: Exclude<Edit, MoveEdit>): void {
  if (edit.type === 'insert') {
    place(originals, batch, edit.place, insertedPart(edit.content), undefined)
    return
  }
  const unit = unitAt(originals, edit.seq)
  if (edit.part === undefined) {
    batch.gone.add(edit.seq)
    batch.removed.add(edit.seq)
    return
  }
  const part = changedPart(batch, partAt(unit, edit.part))
  batch.touched.add(edit.seq)
  batch.parts.set(partKey(edit), part && editedPart(part, edit))
}

function editedPart(part: Part, edit: Exclude<Edit, MoveEdit | InsertEdit>): Part | undefined {
  const was = part.was ?? part
  switch (edit.type) {
    case 'remove':
      return undefined
    case 'rewrite':
      return rewritten(part, was, edit.text)
    case 'rename':
      return 'callId' in part ? ({ ...part, callId: edit.callId, was } as Part) : part // same type, other id
    case 'unmark':
      return { ...part, cacheMark: false, was }
    default:
      return edit satisfies never
  }
}

function rewritten(part: Part, was: Part, text: string): Part {
  switch (part.type) {
    case 'media':
      return { type: 'text', seq: part.seq, index: part.index, text, was }
    case 'tool-call':
      return { ...part, input: text, was }
    case 'text':
    case 'tool-result':
      return { ...part, text, was }
    case 'reasoning':
    case 'opaque':
      throw new RangeError(`a part of type ${part.type} is never rewritten (unit ${part.seq})`)
    default:
      return part satisfies never
  }
}

function moveTarget(originals: readonly Unit[], batch: Batch, edit: MoveEdit): void {
  const unit = unitAt(originals, edit.seq)
  if (edit.part === undefined) {
    if (batch.gone.has(edit.seq)) return
    const [moved] = editedUnit(unit, batch)
    batch.gone.add(edit.seq)
    if (moved) place(originals, batch, edit.place, undefined, moved)
    return
  }
  const part = changedPart(batch, partAt(unit, edit.part))
  batch.touched.add(edit.seq)
  batch.parts.set(partKey(edit), undefined)
  if (part) place(originals, batch, edit.place, part, undefined)
}

function place(
  originals: readonly Unit[],
  batch: Batch,
  where: EditPlace,
  part: Part | undefined,
  unit: Unit | undefined,
): void {
  if ('into' in where) {
    unitAt(originals, where.into)
    batch.touched.add(where.into)
    const parts = part ? [part] : (unit?.parts ?? [])
    push(where.at === 'start' ? batch.starts : batch.ends, where.into, parts)
    return
  }
  if (where.after !== -1) unitAt(originals, where.after)
  push(batch.behind, where.after, [unit ?? insertedUnit(where.role, part ? [part] : [])])
}

function push<T>(map: Map<number, T[]>, key: number, values: readonly T[]): void {
  const known = map.get(key)
  if (known) for (const value of values) known.push(value)
  else map.set(key, [...values])
}

function insertedUnit(role: Role, parts: readonly Part[]): Unit {
  return { seq: -1, role, name: undefined, parts, native: undefined }
}

function insertedPart(content: InsertedContent): Part {
  return { seq: -1, index: -1, ...content }
}

function changedPart(batch: Batch, part: Part): Part | undefined {
  const key = placeKey(part.seq, part.index)
  return batch.parts.has(key) ? batch.parts.get(key) : part
}

/** One unit with its edits, or none when nothing that can be sent is left of it. */
function editedUnit(unit: Unit, batch: Batch): readonly Unit[] {
  if (!batch.touched.has(unit.seq)) return [unit]
  const kept = unit.parts.flatMap((part) => changedPart(batch, part) ?? [])
  const parts = [
    ...(batch.starts.get(unit.seq) ?? []),
    ...kept,
    ...(batch.ends.get(unit.seq) ?? []),
  ]
  return parts.some(saysSomething) ? [{ ...unit, parts, was: unit }] : []
}

/** True for a part that can stand alone in a message; blank text and reasoning cannot. */
export function saysSomething(part: Part): boolean {
  switch (part.type) {
    case 'text':
      return part.text.trim() !== ''
    case 'reasoning':
      return false
    case 'tool-call':
    case 'tool-result':
    case 'media':
    case 'opaque':
      return true
    default:
      return part satisfies never
  }
}

function joinNeighbours(base: View, units: readonly Unit[]): readonly Unit[] {
  return units.map((unit, position) => {
    const before = units[position - 1]
    return before && joins(base, before, unit) ? { ...unit, joined: true } : unit
  })
}

/** Assistant messages are joined where the provider would merge them anyway, or where nothing but text leads. */
function joins(base: View, before: Unit, unit: Unit): boolean {
  const { originals, dialect, joinDepth = originals.length } = base
  if (before.role !== unit.role || wereNeighbours(originals, before, unit)) return false
  if (positionOf(originals, unit.seq) >= joinDepth) return false
  if (unit.role === 'user') return true
  const isPlain = dialect.mergesTurns || before.parts.every((part) => part.type === 'text')
  return unit.role === 'assistant' && isPlain
}

function wereNeighbours(originals: readonly Unit[], before: Unit, unit: Unit): boolean {
  const position = positionOf(originals, before.seq)
  return position !== -1 && originals[position + 1]?.seq === unit.seq
}

function unitAt(originals: readonly Unit[], seq: number): Unit {
  const unit = originalOf(originals, seq)
  if (!unit) throw new RangeError(`edit of unit ${seq} in a history of ${originals.length} units`)
  return unit
}

function partAt(unit: Unit, part: number): Part {
  const found = unit.parts[part]
  if (!found) {
    throw new RangeError(`edit of part ${part} in unit ${unit.seq}, which has ${unit.parts.length}`)
  }
  return found
}
