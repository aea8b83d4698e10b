import { adapterFor } from '../../adapters/index.ts'
import { asFields } from '../../adapters/native.ts'
import type { Adapter } from '../../core/adapter.ts'
import {
  appendMessages,
  type MessageDraft,
  originOf,
  placeOf,
  seated,
} from '../../core/log/append.ts'
import type { MessageEntry } from '../../core/log/entry.ts'
import { identityOf } from '../../core/log/key.ts'
import type { Log } from '../../core/log/log.ts'
import type { Format, Unit, View } from '../../core/model.ts'
import { positionOf } from '../../core/originals.ts'
import type { WriteInput } from '../assembly.ts'
import type { HistoryUpdate } from '../conversation-jobs.ts'
import { answeredBy, type OpenLog } from './open-log.ts'

/** A history as the page sent it, with the path of the log that it lies on. */
export interface History {
  readonly adapter: Adapter
  /** The messages as they came, leading system messages aside. */
  readonly came: readonly object[]
  /** The path as `seq` by depth; what was forgotten still has its place on it. */
  readonly path: readonly number[]
  /** The units of the path, each with its `seq` in the log and what it holds now. */
  readonly units: readonly Unit[]
  /** For each message that came, the depth of the path behind it: a message of ours may stand for many. */
  readonly ends: readonly number[]
  /** `OpenLog.generation` when it was placed: after a renumbering it means nothing. */
  readonly generation: number
  /** Depth from which on the units were new to the log. */
  readonly newFrom: number
}

/** Gives back what a view of a history is written from. */
export function writeInput(history: History, view: View): WriteInput {
  const { adapter, came } = history
  return { adapter, view, came, indexOf: (unit) => indexInCame(history, unit) }
}

/** Gives back the index of the message that holds this unit alone; `undefined` where none does. Logarithmic. */
function indexInCame({ units, ends }: History, { seq }: Unit): number | undefined {
  const depth = positionOf(units, seq)
  let from = 0
  let to = depth === -1 ? -1 : ends.length - 1
  while (from <= to) {
    const middle = (from + to) >> 1
    const end = ends[middle] ?? -1
    if (end === depth + 1) return (ends[middle - 1] ?? 0) === depth ? middle : undefined
    if (end <= depth) from = middle + 1
    else to = middle - 1
  }
  return undefined
}

/** Gives back what a stored message means. */
export function identityOfEntry(entry: MessageEntry): string {
  return identityOf(entry.format, unitOfEntry(entry))
}

/** Reads a stored message. */
export function unitOfEntry({ format, native, seq }: MessageEntry): Unit {
  return adapterFor({}, format).readMessage(asFields(native, 'message'), seq, 'message')
}

/** Histories that the page may build on: it builds on its newest, or on one before that a call of its own came between. */
const MAX_HISTORIES = 4

interface Staged {
  readonly base: History | undefined
  readonly changes: (readonly [number, object])[]
  parts: number
}

/** What the page sent, by the names it gave. */
export class Histories {
  private readonly known = new Map<string, History>()
  private readonly staged = new Map<string, Staged>()

  /** Keeps a part. Gives back false where the history it starts from is not known any more. */
  stage(update: HistoryUpdate, generation: number): boolean {
    const staged = this.staged.get(update.token) ?? this.begin(update, generation)
    if (!staged || staged.parts !== update.part) return false
    staged.changes.push(...update.changes)
    staged.parts++
    return true
  }

  private begin(update: HistoryUpdate, generation: number): Staged | undefined {
    const base = update.base === undefined ? undefined : this.known.get(update.base)
    const isGone = update.base !== undefined && base?.generation !== generation
    if (isGone) return undefined
    const staged: Staged = { base, changes: [], parts: 0 }
    keep(this.staged, update.token, staged)
    return staged
  }

  /** Takes the parts of a history together; `undefined` where one of them is missing. */
  take(update: HistoryUpdate, generation: number): Incoming | undefined {
    if (!this.stage(update, generation)) return undefined
    const staged = this.staged.get(update.token)
    this.staged.delete(update.token)
    // The log may have been renumbered since the first part came.
    const isGone = staged?.base !== undefined && staged.base.generation !== generation
    if (!staged || isGone) return undefined
    const came = (staged.base?.came ?? []).slice(0, update.length)
    for (const [index, message] of staged.changes) came[index] = message
    const changed = new Set(staged.changes.map(([index]) => index))
    return { format: update.format, base: staged.base, came, changed }
  }

  remember(token: string, history: History): void {
    keep(this.known, token, history)
  }

  clear(): void {
    this.known.clear()
    this.staged.clear()
  }
}

function keep<V>(map: Map<string, V>, key: string, value: V): void {
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > MAX_HISTORIES && oldest !== undefined) map.delete(oldest)
}

/** A history whose place in the log is not known yet. */
export interface Incoming {
  readonly format: Format
  readonly base: History | undefined
  readonly came: readonly object[]
  /** Indexes of messages that are not those of `base`. */
  readonly changed: ReadonlySet<number>
}

interface Walk {
  readonly adapter: Adapter
  readonly units: Unit[]
  readonly ends: number[]
  /** Messages that are not in the log, which all follow one another at the end. */
  readonly drafts: MessageDraft[]
  readonly draftUnits: Unit[]
}

/**
 * Finds the place of each message in the log, from the first one on that changed. What Tamp itself had made and an
 * app sent back is found as the originals it stands for. Throws `invalid-conversation` with the path.
 */
function walk(log: Log, incoming: Incoming, offset: number): Walk {
  const { format, base, came, changed } = incoming
  const adapter = adapterFor({}, format)
  const first = came.findIndex(
    (_, index) => changed.has(index) || index >= (base?.came.length ?? 0),
  )
  const from = first === -1 ? came.length : first
  const depth = from === 0 ? 0 : (base?.ends[from - 1] ?? 0)
  const walked: Walk = {
    adapter,
    units: (base?.units ?? []).slice(0, depth),
    ends: (base?.ends ?? []).slice(0, from),
    drafts: [],
    draftUnits: [],
  }
  for (let index = from; index < came.length; index++) {
    if (followsBase(walked, incoming, index)) continue
    const path = `${adapter.listField}[${offset + index}]`
    const unit = adapter.readMessage(asFields(came[index], path), -1, path)
    placeMessage(log, format, walked, unit)
  }
  return walked
}

/** An unchanged message on the same path as before has its old place: nothing is read. */
function followsBase(walked: Walk, { base, changed, came }: Incoming, index: number): boolean {
  const end = base?.ends[index]
  if (!base || end === undefined || changed.has(index) || came[index] !== base.came[index])
    return false
  const { units, ends, drafts } = walked
  const depth = units.length
  if (drafts.length > 0 || (base.ends[index - 1] ?? 0) !== depth) return false
  if (depth > 0 && base.units[depth - 1]?.seq !== units[depth - 1]?.seq) return false
  for (const unit of base.units.slice(depth, end)) units.push(unit)
  ends.push(end)
  return true
}

function placeMessage(log: Log, format: Format, walked: Walk, unit: Unit): void {
  const { units, ends, drafts, draftUnits } = walked
  const identity = identityOf(format, unit)
  if (drafts.length === 0) {
    const parent = units.at(-1)?.seq ?? -1
    const place = placeOf(log, log.keyAt(parent), identity, identityOfEntry)
    if (place.seq !== undefined) units.push(seated(unit, place.seq))
    else
      for (const original of originalsOf(log, log.seqOfAlias(place.key), units))
        units.push(original)
    if (units.length > (ends.at(-1) ?? 0)) {
      ends.push(units.length)
      return
    }
  }
  drafts.push({ format, identity, native: unit.native, origin: originOf(unit) })
  draftUnits.push(unit)
}

/** The originals behind those known that a message of ours stands for; none where they lie elsewhere or are gone. */
function originalsOf(log: Log, seq: number | undefined, known: readonly Unit[]): readonly Unit[] {
  if (seq === undefined) return []
  const path = log.pathTo(seq)
  const last = known.at(-1)?.seq
  if (last !== undefined && path[known.length - 1] !== last) return []
  const entries = path.slice(known.length).map((at) => log.message(at))
  return entries.every((entry) => entry !== undefined) ? entries.map(unitOfEntry) : []
}

/**
 * Finds the place of a history, stores what is new of it, and makes its end the end of the active path. `offset` is
 * the number of leading messages, for the paths in errors.
 */
export async function placeHistory(
  opened: OpenLog,
  incoming: Incoming,
  offset: number,
): Promise<History> {
  let walked = walk(opened.log, incoming, offset)
  let { generation } = opened
  let { count } = opened.log
  let seqs: readonly number[] = []
  const natives = walked.drafts.map((draft) => draft.native)
  // Also where nothing seems to be new: another tab may have made another path the active one, or compacted this one.
  await opened.change({ natives }, (log, drafts) => {
    const isRenumbered = generation !== opened.generation
    if (isRenumbered) walked = walk(log, { ...incoming, base: undefined }, offset)
    else if (count !== log.count) walked = walk(log, incoming, offset)
    generation = opened.generation
    count = log.count
    const after = walked.units.at(-1)?.seq ?? -1
    const appended = appendMessages(log, after, walked.drafts, {
      at: Date.now(),
      identityOf: identityOfEntry,
    })
    seqs = appended.seqs
    const tip = seqs.at(-1) ?? after
    if (appended.entries.length === 0 && tip === (opened.head?.tip ?? -1)) return undefined
    return { add: appended.entries, tip, dropDrafts: answeredBy(appended.entries, drafts) }
  })
  return historyOf(walked, incoming, seqs, generation)
}

/** Gives back the history as it lies now: after a renumbering it is found anew. */
export function placeAgain(opened: OpenLog, history: History, offset: number): Promise<History> {
  const { adapter, came } = history
  const incoming = { format: adapter.format, base: undefined, came, changed: new Set<number>() }
  return placeHistory(opened, incoming, offset)
}

/** Gives back the history as it would lie, nothing stored: new messages get numbers behind the log's. */
export function gaugeHistory(opened: OpenLog, incoming: Incoming, offset: number): History {
  const walked = walk(opened.log, incoming, offset)
  const seqs = walked.drafts.map((_, index) => opened.log.count + index)
  return historyOf(walked, incoming, seqs, opened.generation)
}

function historyOf(
  walked: Walk,
  { came }: Incoming,
  seqs: readonly number[],
  generation: number,
): History {
  const { adapter, units, ends, draftUnits } = walked
  const placed = draftUnits.map((unit, index) => seated(unit, seqs[index] ?? -1))
  const all = [...units, ...placed]
  return {
    adapter,
    came,
    path: all.map((unit) => unit.seq),
    units: all,
    ends: [...ends, ...placed.map((_, index) => units.length + index + 1)],
    generation,
    newFrom: units.length,
  }
}
