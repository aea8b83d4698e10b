import { commonLength } from './common-length.ts'
import { repairOnly } from './compaction.ts'
import { type CompactionSetup, smallestCheckpoint, standingView } from './compaction-state.ts'
import { applyEdits, type Edit } from './edit.ts'
import { enforcedRules } from './invariant.ts'
import { mustStay } from './keep.ts'
import type { Unit, View } from './model.ts'
import { positionOf } from './originals.ts'
import type { Sliced } from './sliced.ts'
import { foldGround } from './standing-fold.ts'
import { unchangedUnits } from './unchanged.ts'

/** A view with the sums over its units. */
export interface Tally {
  readonly view: View
  readonly tokens: number
  /** Messages that it is sent as: units that are joined are one. */
  readonly messages: number
  /** Parts that carry a cache mark. */
  readonly cacheMarks: number
}

/** What a history is sent as where nothing is compacted, with the sums that a report needs. */
export interface Standpoint {
  /** Before any repair. */
  readonly start: Tally
  /** The standing edits with the repairs that the provider's rules demand: those themselves where there are none. */
  readonly edits: readonly Edit[]
  /** Rules that were mended. */
  readonly mended: readonly string[]
  /** What the edits make: `start` itself where nothing was mended. */
  readonly sent: Tally
  /** The view without the checkpoint of an earlier fold: `start` itself where there is none. */
  readonly ground: Tally
  /** Units at the start of `sent` that `start` has as well, and their tokens. */
  readonly keptUnits: number
  readonly keptTokens: number
  /** The highest `seq` that an edit touches or stands at; -1 without edits. */
  readonly editedThrough: number
}

type Counts = Pick<CompactionSetup, 'countUnit'>

/** Gives back where a history stands, from the whole of it. Linear in units and edits. */
export function* standpointOf(setup: CompactionSetup): Sliced<Standpoint> {
  const { base, standing, invariants, strategy } = setup
  const { edits, mended } = yield* repairOnly(base, standing, invariants)
  const start = tallyOf(setup, standingView(setup))
  yield
  const sent = edits === standing ? start : tallyOf(setup, applyEdits(base, edits))
  yield
  const { view, earlier } = foldGround(base, standing, strategy.name)
  const ground = earlier ? tallyOf(setup, view) : start
  const keptUnits = sent === start ? start.view.units.length : unchangedUnits(start.view, sent.view)
  const keptTokens = tokensOf(setup, sent.view.units.slice(0, keptUnits))
  const editedThrough = edits.reduce((highest, edit) => Math.max(highest, seqOf(edit)), -1)
  return { start, edits, mended, sent, ground, keptUnits, keptTokens, editedThrough }
}

/**
 * Gives back where a history stands from where an earlier state of it stood, with the same standing edits: only what
 * lies behind the last settled place is read. Equal to what `standpointOf` gives back; `undefined` where that alone
 * can tell, as where a repair is due. Linear in what is new, apart from copies of lists.
 */
export function grownStandpoint(
  setup: CompactionSetup,
  before: Standpoint,
): Standpoint | undefined {
  const tail = tailBehind(setup.base, before)
  if (!tail) return undefined
  const sent = grown(setup, before.sent, tail)
  if (breaksRules(setup, sent, tail)) return undefined
  const views = [before.start, before.ground].map(({ view }) => view.units)
  // A view may have joined its first unit to what repairs moved away from it.
  if (views.some((units) => units[units.length - tail.dropped] !== tail.added[0])) return undefined
  const start = before.start === before.sent ? sent : grown(setup, before.start, tail)
  // Marks that were taken off may stay on where there are fewer of them.
  if (sent !== start && start.cacheMarks !== before.start.cacheMarks) return undefined
  const ground = before.ground === before.start ? start : grown(setup, before.ground, tail)
  const keepsAll = before.keptUnits === before.sent.view.units.length
  const keptUnits = keepsAll ? sent.view.units.length : before.keptUnits
  const keptTokens = keepsAll ? sent.tokens : before.keptTokens
  return { ...before, start, sent, ground, keptUnits, keptTokens }
}

/**
 * Gives back what no compaction can remove (`floorTokens`). An earlier checkpoint may go, not all of it. Reads the
 * ends of the history.
 */
export function standingFloorTokens(setup: CompactionSetup, { start, ground }: Standpoint): number {
  const staying = tokensOf(setup, mustStay(ground.view))
  const smallest = smallestCheckpoint(setup.countText)
  const rest = ground === start ? Math.min(ground.tokens - staying, smallest) : smallest
  return setup.budget.overheadTokens + staying + rest
}

function seqOf(edit: Edit): number {
  if (edit.type === 'insert') return 'into' in edit.place ? edit.place.into : edit.place.after
  if (edit.type !== 'move') return edit.seq
  return Math.max(edit.seq, 'into' in edit.place ? edit.place.into : edit.place.after)
}

function tokensOf({ countUnit }: Counts, units: readonly Unit[]): number {
  return units.reduce((sum, unit) => sum + countUnit(unit), 0)
}

function messagesOf(units: readonly Unit[]): number {
  return units.reduce((sum, unit) => (unit.joined ? sum : sum + 1), 0)
}

function cacheMarksOf(units: readonly Unit[]): number {
  return units.reduce((sum, { parts }) => sum + parts.filter((part) => part.cacheMark).length, 0)
}

/** Gives back a view with its sums. Linear in its units. */
export function tallyOf(counts: Counts, view: View): Tally {
  const { units } = view
  const tokens = tokensOf(counts, units)
  return { view, tokens, messages: messagesOf(units), cacheMarks: cacheMarksOf(units) }
}

/** The part of a history behind its last settled place: no edit touches it, so each view ends with these very units. */
interface Tail {
  /** How many units of it the earlier state had. */
  readonly dropped: number
  readonly added: readonly Unit[]
}

/**
 * The last place at which a turn of the model begins that the earlier state had as well. Pairs of calls and results
 * before it are closed, and no rule that is mended looks across it but by what it counts.
 */
function tailBehind(base: View, { sent, editedThrough }: Standpoint): Tail | undefined {
  const { originals } = sent.view
  const common = commonLength(originals, base.originals)
  const { units } = sent.view
  for (let position = units.length - 1; position > 0; position--) {
    const unit = units[position]
    if (!unit || unit.seq <= editedThrough) return undefined
    if (unit.role !== 'assistant' || units[position - 1]?.role === 'assistant') continue
    const at = positionOf(originals, unit.seq)
    if (at < common) {
      return { dropped: originals.length - at, added: base.originals.slice(at) }
    }
  }
  return undefined
}

function grown(setup: CompactionSetup, before: Tally, { dropped, added }: Tail): Tally {
  const { base } = setup
  const { units, originals } = before.view
  const kept = units.length - dropped
  const gone = units.slice(kept)
  const isAsCame = units === originals
  return {
    view: { ...base, units: isAsCame ? base.originals : [...units.slice(0, kept), ...added] },
    tokens: before.tokens - tokensOf(setup, gone) + tokensOf(setup, added),
    messages: before.messages - gone.length + added.length,
    cacheMarks: before.cacheMarks - cacheMarksOf(gone) + cacheMarksOf(added),
  }
}

/** True where the tail breaks a rule that would be mended. What stands before it counts for the marks alone. */
function breaksRules(setup: CompactionSetup, sent: Tally, { added }: Tail): boolean {
  const marksBefore = sent.cacheMarks - cacheMarksOf(added)
  const headCacheMarks = setup.base.headCacheMarks + marksBefore
  const view: View = { ...setup.base, units: added, headCacheMarks }
  const rules = enforcedRules(view, setup.invariants)
  return rules.some(({ repair, check }) => repair !== undefined && check(view).length > 0)
}
