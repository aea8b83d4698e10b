import { asFields } from '../../adapters/native.ts'
import type { Adapter } from '../../core/adapter.ts'
import { indexOfKey } from '../../core/ascending.ts'
import { appendMessages } from '../../core/log/append.ts'
import type { MessageCounts } from '../../core/log/entry.ts'
import type { Unit, View } from '../../core/model.ts'
import { positionOf } from '../../core/originals.ts'
import { finished } from '../../core/sliced.ts'
import type { WriteInput } from '../assembly.ts'
import { runSliced } from '../schedule.ts'
import type { Counting } from '../setup.ts'
import type { Incoming } from './histories.ts'
import { answeredBy, type ChangeNeeds, type Decide, type OpenLog } from './open-log.ts'
import { countsOf } from './stored-counts.ts'
import { identityOfEntry, unitAt } from './units.ts'
import { type CountNew, type Walked, walking } from './walk.ts'

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
  const index = depth === -1 ? -1 : indexOfKey(ends, depth + 1, (end) => end)
  return index !== -1 && (ends[index - 1] ?? 0) === depth ? index : undefined
}

/** What placing needs beside the history. */
export interface Placing {
  /** Number of leading messages, for the paths in errors. */
  readonly offset: number
  /** Counts what is new before it is stored; `undefined` where it is counted when that is needed. */
  readonly counting: Counting | undefined
}

/** Finds the place of a history, stores what is new of it, and makes its end the end of the active path. */
export async function placeHistory(
  opened: OpenLog,
  incoming: Incoming,
  placing: Placing,
): Promise<History> {
  const placement = new Placement(opened, incoming, placing)
  // Also where nothing seems to be new: another tab may have made another path the active one, or compacted this one.
  await opened.change(placement.ready, placement.decide)
  return placement.history()
}

/** Where a history was found, and what the log was then. */
interface Found {
  readonly from: Incoming
  readonly walked: Walked
  readonly generation: number
  readonly count: number
}

/** What was stored of it. */
interface Stored extends Found {
  readonly seqs: readonly number[]
}

/** A history on its way into the log. */
class Placement {
  private readonly opened: OpenLog
  private readonly incoming: Incoming
  private readonly placing: Placing
  private readonly counts = new Map<unknown, MessageCounts>()
  private found: Found | undefined
  private stored: Stored | undefined

  constructor(opened: OpenLog, incoming: Incoming, placing: Placing) {
    this.opened = opened
    this.incoming = incoming
    this.placing = placing
  }

  /** Looks for its place and counts what is new, before a transaction is opened: others get their turn meanwhile. */
  readonly ready = async (): Promise<ChangeNeeds> => {
    const from = this.start()
    const walked = await runSliced(this.walk(from, this.count))
    const { generation, log } = this.opened
    this.found = { from, walked, generation, count: log.count }
    return { natives: walked.drafts.map(({ native }) => native) }
  }

  readonly decide: Decide = (log, drafts) => {
    const found = this.foundNow()
    const after = found.walked.units.at(-1)?.seq ?? -1
    const { entries, seqs } = appendMessages(log, after, found.walked.drafts, {
      at: Date.now(),
      identityOf: identityOfEntry,
    })
    this.stored = { ...found, seqs }
    const tip = seqs.at(-1) ?? after
    if (entries.length === 0 && tip === (this.opened.head?.tip ?? -1)) return undefined
    return { add: entries, tip, dropDrafts: answeredBy(entries, drafts) }
  }

  /** As it lies in the log, once that is decided. */
  history(): History {
    const { stored } = this
    if (!stored) throw new Error('the place of the history was not decided')
    const placed = stored.seqs.map(
      (seq, index) => unitAt(this.opened.log, seq) ?? draftUnit(stored.walked, index, seq),
    )
    return historyOf(stored, placed)
  }

  /** Where it lies now: another tab may have written, or entries may have been renumbered, since it was looked for. */
  private foundNow(): Found {
    const { found } = this
    const { generation, log } = this.opened
    if (found?.generation === generation && found.count === log.count) return found
    const from = this.start()
    // A transaction waits for this: nothing is counted in it.
    const walked = finished(this.walk(from, ({ native }) => this.counts.get(native)))
    return { from, walked, generation, count: log.count }
  }

  private walk(from: Incoming, countNew: CountNew): Generator<undefined, Walked> {
    return walking(this.opened.log, from, this.placing.offset, countNew)
  }

  /** After a renumbering what it builds on means nothing. */
  private start(): Incoming {
    const { incoming } = this
    if (incoming.base?.generation === this.opened.generation) return incoming
    return { ...incoming, base: undefined, firstChanged: 0 }
  }

  private readonly count: CountNew = (unit) => {
    const { counting } = this.placing
    if (!counting) return undefined
    const counts = countsOf(unit, counting)
    this.counts.set(unit.native, counts)
    return counts
  }
}

/** Gives back the history as it lies now: after a renumbering it is found anew. */
export function placeAgain(opened: OpenLog, history: History, placing: Placing): Promise<History> {
  const { adapter, came } = history
  const changed = new Set<number>()
  const incoming = { format: adapter.format, base: undefined, came, firstChanged: 0, changed }
  return placeHistory(opened, incoming, placing)
}

/** Gives back the history as it would lie, nothing stored: new messages get numbers behind the log's. */
export function gaugeHistory(opened: OpenLog, incoming: Incoming, offset: number): History {
  const walked = finished(walking(opened.log, incoming, offset, () => undefined))
  const { count } = opened.log
  const units = walked.drafts.map((_, index) => draftUnit(walked, index, count + index))
  return historyOf({ walked, from: incoming, generation: opened.generation }, units)
}

/** Reads a message that has no entry. */
function draftUnit({ adapter, drafts }: Walked, index: number, seq: number): Unit {
  return adapter.readMessage(asFields(drafts[index]?.native, 'message'), seq, 'message')
}

/** `placed` are the units of what was new, behind those that were found. */
function historyOf(
  { walked, from, generation }: Omit<Found, 'count'>,
  placed: readonly Unit[],
): History {
  const { adapter, came, units, ends } = walked
  const all = placed.length === 0 ? units : units.concat(placed)
  const shared = ends[from.firstChanged - 1] ?? 0
  const path = (from.base?.path ?? []).slice(0, shared)
  for (const unit of all.slice(shared)) path.push(unit.seq)
  return {
    adapter,
    came,
    path,
    units: all,
    ends: ends.concat(placed.map((_, index) => units.length + index + 1)),
    generation,
    newFrom: units.length,
  }
}
