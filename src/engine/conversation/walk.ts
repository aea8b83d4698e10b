import { adapterFor } from '../../adapters/index.ts'
import { asFields } from '../../adapters/native.ts'
import type { Adapter } from '../../core/adapter.ts'
import { type MessageDraft, originOf, placeOf, seated } from '../../core/log/append.ts'
import type { MessageCounts, MessageEntry } from '../../core/log/entry.ts'
import { identityOf } from '../../core/log/key.ts'
import type { Log } from '../../core/log/log.ts'
import type { Unit } from '../../core/model.ts'
import { samePlain } from '../../core/same-plain.ts'
import type { Incoming } from './histories.ts'
import { identityOfEntry, readEntry, unitAt } from './units.ts'

/** Counts what is new, to be stored with it; `undefined` where it is not counted before it is needed. */
export type CountNew = (unit: Unit) => MessageCounts | undefined

/** The places in the log that were found for a history. */
export interface Walked {
  readonly adapter: Adapter
  /** The messages as they came; where the log holds the very same one, the log's own. */
  readonly came: readonly object[]
  readonly units: readonly Unit[]
  readonly ends: readonly number[]
  /** Messages that are not in the log, which all follow one another at the end. */
  readonly drafts: readonly MessageDraft[]
}

/** A walk under way. */
interface Walk {
  readonly log: Log
  readonly incoming: Incoming
  readonly adapter: Adapter
  readonly came: object[]
  readonly units: Unit[]
  readonly ends: number[]
  readonly drafts: MessageDraft[]
  readonly countNew: CountNew
}

/**
 * Finds the place of each message in the log, from the first one on that changed; each step reads one message. What
 * Tamp itself had made and an app sent back is found as the originals it stands for. `offset` is the number of leading
 * messages, for the path in an error. Throws `invalid-conversation` with it.
 */
export function* walking(
  log: Log,
  incoming: Incoming,
  offset: number,
  countNew: CountNew,
): Generator<undefined, Walked> {
  const walk = beginWalk(log, incoming, countNew)
  const { came, adapter } = walk
  for (let index = incoming.firstChanged; index < came.length; index++) {
    if (followsBase(walk, index)) continue
    if (!followsLog(walk, index)) {
      placeMessage(walk, index, `${adapter.listField}[${offset + index}]`)
    }
    yield
  }
  return walk
}

function beginWalk(log: Log, incoming: Incoming, countNew: CountNew): Walk {
  const { format, base, came, firstChanged } = incoming
  const depth = base?.ends[firstChanged - 1] ?? 0
  return {
    log,
    incoming,
    adapter: adapterFor({}, format),
    came: came.slice(),
    units: (base?.units ?? []).slice(0, depth),
    ends: (base?.ends ?? []).slice(0, firstChanged),
    drafts: [],
    countNew,
  }
}

/** An unchanged message on the same path as before has its old place: nothing is read. */
function followsBase({ incoming, came, units, ends, drafts }: Walk, index: number): boolean {
  const { base, changed } = incoming
  const end = base?.ends[index]
  if (!base || end === undefined || changed.has(index) || came[index] !== base.came[index])
    return false
  const depth = units.length
  if (drafts.length > 0 || (base.ends[index - 1] ?? 0) !== depth) return false
  if (depth > 0 && base.units[depth - 1]?.seq !== units[depth - 1]?.seq) return false
  for (const unit of base.units.slice(depth, end)) units.push(unit)
  ends.push(end)
  return true
}

/** A message that says word for word what the log holds behind the one before it is that one: nothing is hashed. */
function followsLog(walk: Walk, index: number): boolean {
  const { log, incoming, came, units, drafts } = walk
  if (drafts.length > 0) return false
  const next = log.newestBelow(units.at(-1)?.seq ?? -1)
  const entry = next === undefined ? undefined : log.message(next)
  if (entry?.format !== incoming.format || !samePlain(came[index], entry.native)) return false
  takeEntry(walk, entry, index)
  walk.ends.push(units.length)
  return true
}

/** The log's own message takes the place of its equal, so that its texts are held once. */
function takeEntry({ log, came, units }: Walk, entry: MessageEntry, index: number): void {
  came[index] = entry.native as object // it carries the same as an object does
  units.push(log.unitOf(entry, readEntry))
}

function placeMessage(walk: Walk, index: number, path: string): void {
  const { log, incoming, adapter, came, units, ends, drafts, countNew } = walk
  // Numbered as it will be if it is new: a part without a number would count as one that an edit made.
  const unit = adapter.readMessage(asFields(came[index], path), log.count + drafts.length, path)
  const { format } = incoming
  const identity = identityOf(format, unit)
  if (drafts.length === 0) {
    const parent = units.at(-1)?.seq ?? -1
    const { seq, key } = placeOf(log, log.keyAt(parent), identity, identityOfEntry)
    if (seq === undefined) units.push(...originalsOf(log, log.seqOfAlias(key), units))
    else takePlace(walk, unit, seq, index)
    if (units.length > (ends.at(-1) ?? 0)) {
      ends.push(units.length)
      return
    }
  }
  const { native } = unit
  drafts.push({ format, identity, native, origin: originOf(unit), counts: countNew(unit) })
}

function takePlace(walk: Walk, unit: Unit, seq: number, index: number): void {
  const entry = walk.log.message(seq)
  if (entry && samePlain(unit.native, entry.native)) takeEntry(walk, entry, index)
  else walk.units.push(seated(unit, seq))
}

/** The originals behind those known that a message of ours stands for; none where they lie elsewhere or are gone. */
function originalsOf(log: Log, seq: number | undefined, known: readonly Unit[]): readonly Unit[] {
  if (seq === undefined) return []
  const path = log.pathTo(seq)
  const last = known.at(-1)?.seq
  if (last !== undefined && path[known.length - 1] !== last) return []
  const units = path.slice(known.length).map((at) => unitAt(log, at))
  return units.every((unit) => unit !== undefined) ? units : []
}
