import { isEnough } from './budget.ts'
import { climb } from './climb.ts'
import {
  type CompactionSetup,
  type CompactionState,
  type CompactionStep,
  conversationTokens,
  floorTokens,
  standingView,
  type TakenSummary,
  viewOf,
} from './compaction-state.ts'
import { applyEdits, type Edit } from './edit.ts'
import { TampError } from './errors.ts'
import { stepsOf } from './exchange.ts'
import { foldOf, takeSummary } from './fold.ts'
import {
  enforcedRules,
  type Invariant,
  newViolations,
  type Repaired,
  repairEdits,
  type Violation,
  violations,
} from './invariant.ts'
import { mustStay } from './keep.ts'
import type { View } from './model.ts'
import { mustFit, rungsFor } from './rungs.ts'
import type { Sliced } from './sliced.ts'
import type { ModelReply } from './summary.ts'

/**
 * Gives back the state in which a compaction starts: what stands holds, damage is repaired, nothing else has
 * happened.
 */
export function* startCompaction(setup: CompactionSetup): Sliced<CompactionState> {
  const repaired = yield* repairedInput(setup)
  const before = conversationTokens(setup, standingView(setup))
  const view = applyEdits(setup.base, repaired.edits)
  return {
    rung: 0,
    edits: repaired.edits,
    steps: [],
    shortened: [],
    repaired: repaired.mended,
    // A stand-in for a missing result adds a little; the compaction is measured from there.
    tokensBefore: Math.max(before, conversationTokens(setup, view)),
    asked: undefined,
    summary: undefined,
    failure: undefined,
    summarizerCalls: 0,
  }
}

/** A setup does not change while its compaction runs, and its end asks once more for what its start was repaired by. */
const repairedInputs = new WeakMap<CompactionSetup, Repaired>()

function* repairedInput(setup: CompactionSetup): Sliced<Repaired> {
  const { base, standing, invariants } = setup
  const known = repairedInputs.get(setup) ?? (yield* repairEdits(base, standing, invariants))
  repairedInputs.set(setup, known)
  return known
}

/**
 * Gives back the edits that stand with the repairs that the provider's own rules demand of a history that fits: the
 * standing edits themselves where there are none.
 */
export function repairOnly(
  base: View,
  standing: readonly Edit[],
  invariants: readonly Invariant[],
): Sliced<Repaired> {
  return repairEdits(base, standing, enforcedRules(base, invariants))
}

/**
 * Takes one step, in slices: pure, the same input gives the same answer. `reply` answers the last `ask` and is absent
 * otherwise. Throws `cannot-fit` where the request must fit and no rung is left.
 */
export function* stepCompaction(
  setup: CompactionSetup,
  state: CompactionState,
  reply?: ModelReply,
): Sliced<CompactionStep> {
  const { asked } = state
  if (asked && reply) return yield* takeReply(setup, state, asked, reply)
  if (asked) return yield* ask(setup, state, asked)
  const view = viewOf(setup, state)
  yield
  if (isEnough(setup.due, setup.budget, state.tokensBefore, conversationTokens(setup, view))) {
    return yield* finish(setup, state, view)
  }
  if (setup.due === 'forced' && stepsOf(view).length < 2) {
    return { type: 'refused', outcome: 'nothing-to-do', reason: 'only one step', state }
  }
  const rung = rungsFor(setup.due)[state.rung]
  if (rung === undefined) return yield* outOfRungs(setup, state, view)
  yield
  const climbed = yield* climb(setup, { ...state, rung: state.rung + 1 }, view, rung)
  if (climbed.asked) return yield* ask(setup, climbed, climbed.asked)
  if (climbed.failure && setup.fallback === 'none') return failed(climbed, climbed.failure.reason)
  return { type: 'next', state: climbed }
}

type Asked = NonNullable<CompactionState['asked']>

function* ask(
  setup: CompactionSetup,
  state: CompactionState,
  asked: Asked,
): Sliced<CompactionStep> {
  const fold = foldOf(setup, state, asked.plan)
  const request = yield* setup.writer.ask(fold, asked.rejected)
  return { type: 'ask', ask: request, state }
}

function* takeReply(
  setup: CompactionSetup,
  state: CompactionState,
  asked: Asked,
  reply: ModelReply,
): Sliced<CompactionStep> {
  const verdict = yield* setup.writer.check(foldOf(setup, state, asked.plan), reply)
  const counted = { ...state, summarizerCalls: state.summarizerCalls + 1 }
  if (verdict.type === 'accepted') {
    const summary: TakenSummary = { source: 'function', plan: asked.plan, checks: verdict.checks }
    return { type: 'next', state: yield* takeSummary(setup, counted, summary, verdict.text) }
  }
  const isFirst = asked.rejected === undefined
  if (verdict.mayRegenerate && isFirst) {
    const again = { plan: asked.plan, rejected: verdict.reason }
    return yield* ask(setup, { ...counted, asked: again }, again)
  }
  const failure = { reason: verdict.reason, checks: verdict.checks }
  const so: CompactionState = { ...counted, asked: undefined, failure }
  const mayGoOn = mustFit(setup.due) || setup.due === 'overflow'
  if (setup.fallback === 'none' || !mayGoOn) return failed(so, verdict.reason)
  return { type: 'next', state: so }
}

function failed(state: CompactionState, reason: string): CompactionStep {
  return { type: 'refused', outcome: 'failed', reason, state }
}

function* outOfRungs(
  setup: CompactionSetup,
  state: CompactionState,
  view: View,
): Sliced<CompactionStep> {
  const tokens = conversationTokens(setup, view)
  if (mustFit(setup.due)) throw cannotFit(setup, view, tokens)
  const freed = state.tokensBefore - tokens
  // The minimum is not asked where a person or the provider wants the compaction (SEEDS M8, M14, Z7).
  if (setup.due === 'soft' && freed < setup.budget.minimumGainTokens) {
    return { type: 'refused', outcome: 'nothing-to-do', reason: 'too little to free', state }
  }
  return yield* finish(setup, state, view)
}

function cannotFit(setup: CompactionSetup, view: View, tokens: number): TampError {
  const { budget } = setup
  const floor = floorTokens(setup, budget.overheadTokens, view)
  const staying = stayingTokens(setup, view) + budget.overheadTokens
  const cause = staying > budget.ceilingTokens - budget.reserveTokens ? 'newest' : 'floor'
  const needed = tokens + budget.overheadTokens
  const message = `the request cannot get below ${needed} tokens; the limit is ${budget.ceilingTokens}`
  return new TampError('cannot-fit', message, {
    cause,
    neededTokens: needed,
    limitTokens: budget.ceilingTokens,
    overheadTokens: budget.overheadTokens,
    reserveTokens: budget.reserveTokens,
    floorTokens: floor,
  })
}

/** Task, unanswered user messages and newest step, without a checkpoint that stands among them. */
function stayingTokens(setup: CompactionSetup, view: View): number {
  const parts = mustStay(view).flatMap((unit) => unit.parts)
  return parts.reduce((sum, part) => sum + (part.seq < 0 ? 0 : setup.countPart(part)), 0)
}

/** What the history broke before any compaction, as it came and as repaired: no repair may be held against it. */
function* inputViolations(setup: CompactionSetup): Sliced<readonly Violation[]> {
  const { edits } = yield* repairedInput(setup)
  const start = standingView(setup)
  const before = yield* violations(start, setup.invariants)
  if (edits === setup.standing) return before
  return [...before, ...(yield* violations(applyEdits(setup.base, edits), setup.invariants))]
}

/** The candidate is checked before anything is committed (DESIGN 1.4): legal, smaller, within the limit. */
function* finish(
  setup: CompactionSetup,
  state: CompactionState,
  view: View,
): Sliced<CompactionStep> {
  const mended = yield* repairEdits(setup.base, state.edits, setup.invariants)
  const candidate = {
    ...state,
    edits: mended.edits,
    repaired: [...new Set([...state.repaired, ...mended.mended])],
  }
  yield
  const after = mended.edits === state.edits ? view : viewOf(setup, candidate)
  const known = yield* inputViolations(setup)
  const broken = newViolations(known, yield* violations(after, setup.invariants))
  const [first] = broken
  if (first) return failed(state, `the candidate would break ${first.rule}: ${first.message}`)
  const tokens = conversationTokens(setup, after)
  const isSmaller = tokens < state.tokensBefore
  if (mustFit(setup.due)) {
    const fits = isEnough(setup.due, setup.budget, state.tokensBefore, tokens)
    return fits ? { type: 'done', state: candidate } : { type: 'next', state: candidate }
  }
  if (!isSmaller) {
    return { type: 'refused', outcome: 'nothing-to-do', reason: 'nothing gets smaller', state }
  }
  return { type: 'done', state: candidate }
}
