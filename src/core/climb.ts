import { isEnough, targetFor } from './budget.ts'
import {
  type CompactionSetup,
  type CompactionState,
  conversationTokens,
  refuses,
  standingView,
} from './compaction-state.ts'
import { applyEdits, composeEdits, freedTokens } from './edit.ts'
import { modelFree, planSummary } from './fold.ts'
import { type KeepSet, keepSetOf, mustStay } from './keep.ts'
import { type LastRungContext, type Stage, shortenStage } from './last-rung.ts'
import type { Unit, View } from './model.ts'
import { type Batch, type PassContext, runPasses, toolLookup } from './pass.ts'
import { mustFit, type Rung } from './rungs.ts'
import type { Sliced } from './sliced.ts'
import { foldGround } from './standing-fold.ts'
import { plannedSummaryTokens } from './summary.ts'

/** Does what one rung may do, and gives back the state it leads to. */
export function* climb(
  setup: CompactionSetup,
  state: CompactionState,
  view: View,
  rung: Rung,
): Sliced<CompactionState> {
  switch (rung) {
    case 'shorten-what-must-stay':
      return shortenWhatMustStay(setup, state)
    case 'cheap-passes':
      return yield* cheapPasses(setup, state, view, keepSet(setup))
    case 'cheap-passes-up-to-newest-step': {
      const keep = keepSet(setup)
      return yield* cheapPasses(setup, state, view, { ...keep, isTail: keep.isNewestStep })
    }
    case 'summary':
      return yield* planSummary(setup, state)
    case 'newest-results':
      return shorten(setup, state, view.units, ['result'], excessOf(setup, state, view))
    case 'model-free-summary':
      return state.failure && !state.summary ? yield* modelFree(setup, state) : state
    case 'last-rung':
      return shorten(setup, state, view.units, ALL_STAGES, excessOf(setup, state, view))
    default:
      return rung satisfies never
  }
}

function keepSet(setup: CompactionSetup): KeepSet {
  return keepSetOf(
    standingView(setup),
    setup.budget.keepRecentTokens,
    setup.refusalPrefixes,
    setup.countUnit,
  )
}

/** Gives back what passes may ask. */
export function passContext(setup: CompactionSetup, keep: KeepSet): PassContext {
  return {
    count: setup.countPart,
    countText: setup.countText,
    isProtected: keep.isProtected,
    isTail: keep.isTail,
    toolSemantics: toolLookup(setup.tools),
  }
}

function* cheapPasses(
  setup: CompactionSetup,
  state: CompactionState,
  view: View,
  keep: KeepSet,
): Sliced<CompactionState> {
  yield
  const context = passContext(setup, keep)
  const start: Batch = { edits: state.edits, view, steps: state.steps }
  const batch = yield* runPasses(setup.base, start, setup.passes, context, (so) =>
    isEnough(setup.due, setup.budget, state.tokensBefore, conversationTokens(setup, so)),
  )
  return { ...state, edits: batch.edits, steps: batch.steps }
}

const ALL_STAGES: readonly Stage[] = ['result', 'arguments', 'paste', 'media']

function excessOf(
  { due, budget, countUnit }: CompactionSetup,
  { tokensBefore }: CompactionState,
  view: View,
): number {
  const limit = mustFit(due) ? budget.allowanceTokens : targetFor(due, budget, tokensBefore)
  return conversationTokens({ countUnit }, view) - limit
}

/** Where what must stay exceeds the allowance alone, no summary helps before it is shortened (SEEDS 5). */
function shortenWhatMustStay(setup: CompactionSetup, state: CompactionState): CompactionState {
  // An earlier checkpoint need not stay as it is: room for a new one is set aside.
  const ground = foldGround(setup.base, state.edits, setup.strategy.name)
  const units = mustStay(ground.view)
  const tokens = units.reduce((sum, unit) => sum + setup.countUnit(unit), 0)
  if (tokens <= setup.budget.allowanceTokens) return state
  const hasOthers = units.length < ground.view.units.length || ground.earlier !== undefined
  const room = hasOthers ? plannedSummaryTokens(setup.budget.targetTokens) : 0
  return shorten(setup, state, units, ALL_STAGES, tokens + room - setup.budget.allowanceTokens)
}

function shorten(
  setup: CompactionSetup,
  state: CompactionState,
  units: readonly Unit[],
  stages: readonly Stage[],
  excessTokens: number,
): CompactionState {
  const context = lastRungContext(setup)
  let { edits, shortened, steps } = state
  let excess = excessTokens
  for (const stage of stages) {
    if (excess <= 0) break
    const seqs = new Set(units.map((unit) => unit.seq))
    const now = applyEdits(setup.base, edits)
    const touched = now.units.filter((unit) => seqs.has(unit.seq))
    const result = shortenStage(stage, now, touched, excess, context)
    if (result.edits.length === 0) continue
    edits = composeEdits(edits, result.edits)
    shortened = [...shortened, ...result.shortened]
    const freed = freedTokens(result.edits)
    steps = [
      ...steps,
      { name: `last-rung: ${stage}`, changedParts: result.edits.length, freedTokens: freed },
    ]
    excess -= freed
  }
  return { ...state, edits, shortened, steps }
}

function lastRungContext(setup: CompactionSetup): LastRungContext {
  const tools = new Map<string, string>()
  for (const unit of setup.base.units) {
    for (const part of unit.parts) if (part.type === 'tool-call') tools.set(part.callId, part.tool)
  }
  const keep = keepSet(setup)
  const semantics = toolLookup(setup.tools)
  return {
    countPart: setup.countPart,
    countText: setup.countText,
    isRefusal: (part) => refuses(setup, part),
    isNewestStep: keep.isNewestStep,
    toolOf: (callId) => {
      const tool = tools.get(callId)
      const effect = tool === undefined ? 'action' : semantics(tool).effect
      return effect === 'read' || effect === 'neutral' ? tool : undefined
    },
  }
}
