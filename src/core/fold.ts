import {
  type CompactionSetup,
  type CompactionState,
  refuses,
  type TakenSummary,
} from './compaction-state.ts'
import { composeEdits, freedTokens } from './edit.ts'
import { legalCuts } from './invariant.ts'
import type { View } from './model.ts'
import type { StepReport } from './report.ts'
import { mustFit } from './rungs.ts'
import type { StrategyContext } from './strategy.ts'
import type { Fold, FoldPlan } from './summary.ts'

function strategyContext(setup: CompactionSetup, view: View): StrategyContext {
  return {
    due: setup.due,
    mustFit: mustFit(setup.due),
    budget: setup.budget,
    legalCuts: legalCuts(view, setup.invariants),
    countText: setup.countText,
    countPart: setup.countPart,
    countUnit: setup.countUnit,
    isRefusal: (part) => refuses(setup, part),
  }
}

/** A missing summarizer counts as a failed summary where no model-free one may take over (DESIGN 4). */
const NO_SUMMARIZER = 'summarizer-unavailable: no summarizer is configured and the fallback is none'

/** Asks for a summary where a source is there, else takes the one without a model; nothing where no fold is worth it. */
export function planSummary(
  setup: CompactionSetup,
  state: CompactionState,
  view: View,
): CompactionState {
  if (!setup.hasSummarizer && setup.fallback === 'extractive') return modelFree(setup, state, view)
  const plan = setup.strategy.plan(view, strategyContext(setup, view))
  if (!plan) return state
  if (!setup.hasSummarizer) return { ...state, failure: { reason: NO_SUMMARIZER, checks: [] } }
  return { ...state, asked: { plan, rejected: undefined } }
}

/** Takes the summary without a model. */
export function modelFree(
  setup: CompactionSetup,
  state: CompactionState,
  view: View,
): CompactionState {
  const plan = setup.strategy.plan(view, strategyContext(setup, view))
  if (!plan) return state
  const text = setup.writer.extract(foldOf(view, plan))
  if (text === '') return state
  return takeSummary(setup, state, view, { source: 'extractive', plan, checks: [] }, text)
}

/** Gives back what a plan folds, as it stands now. */
export function foldOf(view: View, plan: FoldPlan): Fold {
  const leaving = new Set(plan.foldedSeqs)
  return {
    units: view.units.filter((unit) => leaving.has(unit.seq)),
    kept: view.units.filter((unit) => !leaving.has(unit.seq)),
    capTokens: plan.capTokens,
    foldedTokens: plan.foldedTokens,
  }
}

/** Gives back the state with the text in the place of what it stands for. */
export function takeSummary(
  setup: CompactionSetup,
  state: CompactionState,
  view: View,
  summary: TakenSummary,
  text: string,
): CompactionState {
  const edits = setup.strategy.fold(view, summary.plan, text, strategyContext(setup, view))
  const step: StepReport = {
    name: setup.strategy.name,
    changedParts: summary.plan.foldedSeqs.length,
    freedTokens: freedTokens(edits),
  }
  return {
    ...state,
    asked: undefined,
    summary,
    edits: composeEdits(state.edits, edits),
    steps: [...state.steps, step],
  }
}
