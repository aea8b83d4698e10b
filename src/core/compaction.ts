import { type Budget, type Due, isEnough } from './budget.ts'
import { applyEdits, composeEdits, type Edit, freedTokens } from './edit.ts'
import { TampError } from './errors.ts'
import {
  enforcedRules,
  type Invariant,
  legalCuts,
  newViolations,
  repairEdits,
  type Violation,
  violations,
} from './invariant.ts'
import { type KeepSet, keepSetOf, mustStay } from './keep.ts'
import { type LastRungContext, type Stage, shortenStage } from './last-rung.ts'
import { checkpointText } from './marker.ts'
import type { Part, ToolResultPart, Unit, View } from './model.ts'
import { type Batch, type ConfiguredPass, type PassContext, runPass, toolLookup } from './pass.ts'
import type { Shortened, StepReport, SummaryCheck } from './report.ts'
import { mustFit, type Rung, rungsFor } from './rungs.ts'
import type { Strategy, StrategyContext } from './strategy.ts'
import type { Fold, FoldPlan, ModelReply, ModelRequest, SummaryWriter } from './summary.ts'
import { isRefusal, type ToolTable } from './tools.ts'

/** All that a compaction works with. It does not change while the compaction runs. */
export interface CompactionSetup {
  /** The history as it came: `units` are `originals`. */
  readonly base: View
  readonly due: Due
  readonly budget: Budget
  readonly passes: readonly ConfiguredPass[]
  readonly invariants: readonly Invariant[]
  readonly strategy: Strategy
  readonly writer: SummaryWriter
  /** True where the app gave a source for summaries; without one the model-free summary is the summary. */
  readonly hasSummarizer: boolean
  readonly fallback: 'extractive' | 'none'
  readonly tools: ToolTable
  readonly refusalPrefixes: readonly string[]
  readonly countText: (text: string) => number
  readonly countPart: (part: Part) => number
  readonly countUnit: (unit: Unit) => number
}

/** A summary as it was taken. */
export interface TakenSummary {
  readonly source: 'function' | 'extractive'
  readonly plan: FoldPlan
  readonly checks: readonly SummaryCheck[]
}

/** How far a compaction has come. Plain data: it survives `structuredClone`, a reload and a lost worker. */
export interface CompactionState {
  /** Index into the rungs of this kind of pressure. */
  readonly rung: number
  readonly edits: readonly Edit[]
  readonly steps: readonly StepReport[]
  readonly shortened: readonly Shortened[]
  readonly repaired: readonly string[]
  readonly tokensBefore: number
  /** The summary that was asked for and has not come yet. */
  readonly asked: { readonly plan: FoldPlan; readonly rejected: string | undefined } | undefined
  readonly summary: TakenSummary | undefined
  /** Why the model's summary failed, where it did. */
  readonly failure:
    | { readonly reason: string; readonly checks: readonly SummaryCheck[] }
    | undefined
  readonly summarizerCalls: number
}

/** What a step of a compaction answers. */
export type CompactionStep =
  /** A model call is wanted; go on with its reply. */
  | { readonly type: 'ask'; readonly ask: ModelRequest; readonly state: CompactionState }
  /** Go on when it suits: the next step is bounded work. */
  | { readonly type: 'next'; readonly state: CompactionState }
  /** The edits are checked and may be committed. */
  | { readonly type: 'done'; readonly state: CompactionState }
  /** Nothing may change; `outcome` and `reason` say why. */
  | {
      readonly type: 'refused'
      readonly outcome: 'failed' | 'nothing-to-do'
      readonly reason: string
      readonly state: CompactionState
    }

/** Gives back the state in which a compaction starts: damage is repaired, nothing else has happened. */
export function startCompaction(setup: CompactionSetup): CompactionState {
  const repaired = repairEdits(setup.base, [], setup.invariants)
  const view = applyEdits(setup.base, repaired.edits)
  return {
    rung: 0,
    edits: repaired.edits,
    steps: [],
    shortened: [],
    repaired: repaired.mended,
    // A stand-in for a missing result adds a little; the compaction is measured from there.
    tokensBefore: Math.max(conversationTokens(setup, setup.base), conversationTokens(setup, view)),
    asked: undefined,
    summary: undefined,
    failure: undefined,
    summarizerCalls: 0,
  }
}

/** Gives back the repairs that the provider's own rules demand of a history that fits. */
export function repairOnly(
  base: View,
  invariants: readonly Invariant[],
): { readonly edits: readonly Edit[]; readonly mended: readonly string[] } {
  return repairEdits(base, [], enforcedRules(base, invariants))
}

/**
 * Takes one bounded step: pure and synchronous, the same input gives the same answer. `reply` answers the last
 * `ask` and is absent otherwise. Throws `cannot-fit` where the request must fit and no rung is left.
 */
export function stepCompaction(
  setup: CompactionSetup,
  state: CompactionState,
  reply?: ModelReply,
): CompactionStep {
  if (state.asked)
    return reply ? takeReply(setup, state, state.asked, reply) : ask(setup, state, state.asked)
  const view = viewOf(setup, state)
  if (isEnough(setup.due, setup.budget, state.tokensBefore, conversationTokens(setup, view))) {
    return finish(setup, state, view)
  }
  const rung = rungsFor(setup.due)[state.rung]
  if (rung === undefined) return outOfRungs(setup, state, view)
  const climbed = climb(setup, { ...state, rung: state.rung + 1 }, view, rung)
  if (climbed.asked) return ask(setup, climbed, climbed.asked)
  if (climbed.failure && setup.fallback === 'none') return failed(climbed, climbed.failure.reason)
  return { type: 'next', state: climbed }
}

/** Gives back the view that a state's edits make. */
export function viewOf(setup: CompactionSetup, state: CompactionState): View {
  return applyEdits(setup.base, state.edits)
}

/** Gives back the tokens of the units of a view; system text and tools are not in it. */
export function conversationTokens(setup: Pick<CompactionSetup, 'countUnit'>, view: View): number {
  return view.units.reduce((sum, unit) => sum + setup.countUnit(unit), 0)
}

/**
 * Gives back what no compaction can remove: overhead, task, unanswered user messages, the newest step, and of the
 * rest as much as the smallest checkpoint that may stand for it takes.
 */
export function floorTokens(setup: CompactionSetup, view: View): number {
  const staying = mustStay(view).reduce((sum, unit) => sum + setup.countUnit(unit), 0)
  const rest = conversationTokens(setup, view) - staying
  return setup.budget.overheadTokens + staying + Math.min(rest, smallestCheckpoint(setup.countText))
}

/** A summary of fewer tokens says nothing. */
export const LEAST_SUMMARY_TOKENS = 48

/** What a checkpoint takes at least: its marks, and a summary of a line or two. */
export function smallestCheckpoint(countText: (text: string) => number): number {
  return countText(checkpointText('')) + LEAST_SUMMARY_TOKENS
}

function climb(
  setup: CompactionSetup,
  state: CompactionState,
  view: View,
  rung: Rung,
): CompactionState {
  switch (rung) {
    case 'shorten-what-must-stay':
      return shortenWhatMustStay(setup, state, view)
    case 'cheap-passes':
      return cheapPasses(setup, state, view, keepSet(setup))
    case 'cheap-passes-up-to-newest-step': {
      const keep = keepSet(setup)
      return cheapPasses(setup, state, view, { ...keep, isTail: keep.isNewestStep })
    }
    case 'summary':
      return planSummary(setup, state, view)
    case 'newest-results':
      return shorten(setup, state, view.units, ['result'], excessOf(setup, view))
    case 'model-free-summary':
      return state.failure && !state.summary ? modelFree(setup, state, view) : state
    case 'last-rung':
      return shorten(setup, state, view.units, ALL_STAGES, excessOf(setup, view))
    default:
      return rung satisfies never
  }
}

function keepSet(setup: CompactionSetup): KeepSet {
  return keepSetOf(
    setup.base,
    setup.budget.keepRecentTokens,
    setup.refusalPrefixes,
    setup.countUnit,
  )
}

function cheapPasses(
  setup: CompactionSetup,
  state: CompactionState,
  view: View,
  keep: KeepSet,
): CompactionState {
  const context: PassContext = {
    count: setup.countPart,
    countText: setup.countText,
    isProtected: keep.isProtected,
    isTail: keep.isTail,
    toolSemantics: toolLookup(setup.tools),
  }
  let batch: Batch = { edits: state.edits, view, steps: state.steps }
  for (const pass of setup.passes) {
    batch = runPass(setup.base, batch, pass, context)
    const tokens = conversationTokens(setup, batch.view)
    if (isEnough(setup.due, setup.budget, state.tokensBefore, tokens)) break
  }
  return { ...state, edits: batch.edits, steps: batch.steps }
}

const ALL_STAGES: readonly Stage[] = ['result', 'arguments', 'paste', 'media']

function excessOf(setup: CompactionSetup, view: View): number {
  const limit = mustFit(setup.due) ? setup.budget.allowanceTokens : setup.budget.targetTokens
  return conversationTokens(setup, view) - limit
}

/** Where what must stay exceeds the allowance alone, no summary helps before it is shortened (SEEDS 5). */
function shortenWhatMustStay(
  setup: CompactionSetup,
  state: CompactionState,
  view: View,
): CompactionState {
  const units = mustStay(view)
  const tokens = units.reduce((sum, unit) => sum + setup.countUnit(unit), 0)
  if (tokens <= setup.budget.allowanceTokens) return state
  const hasOthers = units.length < view.units.length
  const room = hasOthers ? summaryRoom(setup) : 0
  return shorten(setup, state, units, ALL_STAGES, tokens + room - setup.budget.allowanceTokens)
}

/** Room for a summary beside what must stay: a quarter of the target, at most 2,500 tokens (QUALITY 5.2). */
function summaryRoom(setup: CompactionSetup): number {
  return Math.min(2500, Math.floor(setup.budget.targetTokens / 4))
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

function refuses(setup: CompactionSetup, part: ToolResultPart): boolean {
  const original = part.was?.type === 'tool-result' ? part.was : part
  return isRefusal(original.text, setup.refusalPrefixes)
}

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

function planSummary(setup: CompactionSetup, state: CompactionState, view: View): CompactionState {
  if (!setup.hasSummarizer && setup.fallback === 'extractive') return modelFree(setup, state, view)
  const plan = setup.strategy.plan(view, strategyContext(setup, view))
  if (!plan) return state
  if (!setup.hasSummarizer) return { ...state, failure: { reason: NO_SUMMARIZER, checks: [] } }
  return { ...state, asked: { plan, rejected: undefined } }
}

function modelFree(setup: CompactionSetup, state: CompactionState, view: View): CompactionState {
  const plan = setup.strategy.plan(view, strategyContext(setup, view))
  if (!plan) return state
  const text = setup.writer.extract(foldOf(view, plan))
  if (text === '') return state
  return takeSummary(setup, state, view, { source: 'extractive', plan, checks: [] }, text)
}

function foldOf(view: View, plan: FoldPlan): Fold {
  const leaving = new Set(plan.foldedSeqs)
  return {
    units: view.units.filter((unit) => leaving.has(unit.seq)),
    kept: view.units.filter((unit) => !leaving.has(unit.seq)),
    capTokens: plan.capTokens,
    foldedTokens: plan.foldedTokens,
  }
}

function takeSummary(
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

type Asked = NonNullable<CompactionState['asked']>

function ask(setup: CompactionSetup, state: CompactionState, asked: Asked): CompactionStep {
  const fold = foldOf(viewOf(setup, state), asked.plan)
  const request = setup.writer.ask(fold, asked.rejected)
  return { type: 'ask', ask: request, state }
}

function takeReply(
  setup: CompactionSetup,
  state: CompactionState,
  asked: Asked,
  reply: ModelReply,
): CompactionStep {
  const view = viewOf(setup, state)
  const verdict = setup.writer.check(foldOf(view, asked.plan), reply)
  const counted = { ...state, summarizerCalls: state.summarizerCalls + 1 }
  if (verdict.type === 'accepted') {
    const summary: TakenSummary = { source: 'function', plan: asked.plan, checks: verdict.checks }
    return { type: 'next', state: takeSummary(setup, counted, view, summary, verdict.text) }
  }
  const isFirst = asked.rejected === undefined
  if (verdict.mayRegenerate && isFirst) {
    const again = { plan: asked.plan, rejected: verdict.reason }
    return ask(setup, { ...counted, asked: again }, again)
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

function outOfRungs(setup: CompactionSetup, state: CompactionState, view: View): CompactionStep {
  const tokens = conversationTokens(setup, view)
  if (mustFit(setup.due)) throw cannotFit(setup, view, tokens)
  const freed = state.tokensBefore - tokens
  if (freed < setup.budget.minimumGainTokens) {
    return { type: 'refused', outcome: 'nothing-to-do', reason: 'too little to free', state }
  }
  return finish(setup, state, view)
}

function cannotFit(setup: CompactionSetup, view: View, tokens: number): TampError {
  const { budget } = setup
  const floor = floorTokens(setup, view)
  const cause = floor > budget.ceilingTokens - budget.reserveTokens ? 'newest' : 'floor'
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

/** What the history broke before any compaction, as it came and as repaired: no repair may be held against it. */
function inputViolations(setup: CompactionSetup): readonly Violation[] {
  const { edits } = repairEdits(setup.base, [], setup.invariants)
  const repaired = applyEdits(setup.base, edits)
  return [setup.base, repaired].flatMap((view) => violations(view, setup.invariants))
}

/** The candidate is checked before anything is committed (DESIGN 1.4): legal, smaller, within the limit. */
function finish(setup: CompactionSetup, state: CompactionState, view: View): CompactionStep {
  const mended = repairEdits(setup.base, state.edits, setup.invariants)
  const candidate = {
    ...state,
    edits: mended.edits,
    repaired: [...new Set([...state.repaired, ...mended.mended])],
  }
  const after = mended.edits === state.edits ? view : viewOf(setup, candidate)
  const broken = newViolations(inputViolations(setup), violations(after, setup.invariants))
  const [first] = broken
  if (first) return failed(state, `the candidate would break ${first.rule}: ${first.message}`)
  const tokens = conversationTokens(setup, after)
  if (tokens >= state.tokensBefore) {
    return { type: 'refused', outcome: 'nothing-to-do', reason: 'nothing gets smaller', state }
  }
  if (!isEnough(setup.due, setup.budget, state.tokensBefore, tokens) && mustFit(setup.due)) {
    return { type: 'next', state: candidate }
  }
  return { type: 'done', state: candidate }
}
