import { targetFor } from './budget.ts'
import {
  type CompactionSetup,
  type CompactionState,
  refuses,
  type TakenSummary,
} from './compaction-state.ts'
import { composeEdits, freedTokens } from './edit.ts'
import { legalCuts } from './invariant.ts'
import type { StepReport } from './report.ts'
import { mustFit } from './rungs.ts'
import type { Sliced } from './sliced.ts'
import { type FoldGround, foldGround, withoutCheckpoint } from './standing-fold.ts'
import type { StrategyContext } from './strategy.ts'
import type { Fold, FoldPlan } from './summary.ts'

function groundOf({ base, strategy }: CompactionSetup, state: CompactionState): FoldGround {
  return foldGround(base, state.edits, strategy.name)
}

function strategyContext(
  setup: CompactionSetup,
  { tokensBefore }: CompactionState,
  { view, unfolded, earlier }: FoldGround,
): StrategyContext {
  const targetTokens = targetFor(setup.due, setup.budget, tokensBefore)
  return {
    due: setup.due,
    mustFit: mustFit(setup.due),
    budget: { ...setup.budget, targetTokens },
    get legalCuts() {
      return legalCuts(view, setup.invariants)
    },
    unfolded,
    earlier,
    countText: setup.countText,
    countPart: setup.countPart,
    countUnit: setup.countUnit,
    isRefusal: (part) => refuses(setup, part),
  }
}

function* planFold(setup: CompactionSetup, state: CompactionState): Sliced<FoldPlan | undefined> {
  const ground = groundOf(setup, state)
  yield
  return yield* setup.strategy.plan(ground.view, strategyContext(setup, state, ground))
}

/** A missing summarizer counts as a failed summary where no model-free one may take over (DESIGN 4). */
const NO_SUMMARIZER = 'summarizer-unavailable: no summarizer is configured and the fallback is none'

/** Asks for a summary where a source is there, else takes the one without a model; nothing where no fold is worth it. */
export function* planSummary(
  setup: CompactionSetup,
  state: CompactionState,
): Sliced<CompactionState> {
  if (!setup.hasSummarizer && setup.fallback === 'extractive') return yield* modelFree(setup, state)
  const plan = yield* planFold(setup, state)
  if (!plan) return state
  if (!setup.hasSummarizer) return { ...state, failure: { reason: NO_SUMMARIZER, checks: [] } }
  return { ...state, asked: { plan, rejected: undefined } }
}

/** Takes the summary without a model. */
export function* modelFree(
  setup: CompactionSetup,
  state: CompactionState,
): Sliced<CompactionState> {
  const plan = yield* planFold(setup, state)
  if (!plan) return state
  yield
  const text = yield* setup.writer.extract(foldOf(setup, state, plan))
  if (text === '') return state
  return yield* takeSummary(setup, state, { source: 'extractive', plan, checks: [] }, text)
}

/** Gives back what a plan folds, as it stands now. */
export function foldOf(setup: CompactionSetup, state: CompactionState, plan: FoldPlan): Fold {
  const { view, earlier } = groundOf(setup, state)
  const leaving = new Set(plan.foldedSeqs)
  return {
    units: view.units.filter((unit) => leaving.has(unit.seq)),
    earlier: earlier && { text: earlier.text, units: earlier.units },
    kept: view.units.filter((unit) => !leaving.has(unit.seq)),
    capTokens: plan.capTokens,
    foldedTokens: plan.foldedTokens,
    focus: setup.focus,
  }
}

/** Gives back the state with the text in the place of what it stands for, an earlier checkpoint included. */
export function* takeSummary(
  setup: CompactionSetup,
  state: CompactionState,
  summary: TakenSummary,
  text: string,
): Sliced<CompactionState> {
  const ground = groundOf(setup, state)
  const context = strategyContext(setup, state, ground)
  yield
  const folded = setup.strategy.fold(ground.view, summary.plan, text, context)
  yield
  const edits = composeEdits(withoutCheckpoint(state.edits, setup.strategy.name), folded.edits)
  const step: StepReport = {
    name: setup.strategy.name,
    changedParts: summary.plan.foldedSeqs.length,
    freedTokens: freedTokens(edits) - freedTokens(state.edits),
  }
  return {
    ...state,
    asked: undefined,
    summary,
    edits,
    steps: [...state.steps, step],
    shortened: [...state.shortened, ...folded.shortened],
  }
}
