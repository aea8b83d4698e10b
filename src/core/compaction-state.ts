import type { Budget, Due } from './budget.ts'
import { applyEdits, type Edit } from './edit.ts'
import type { Invariant } from './invariant.ts'
import { mustStay } from './keep.ts'
import { checkpointText } from './marker.ts'
import type { Part, ToolResultPart, Unit, View } from './model.ts'
import type { ConfiguredPass } from './pass.ts'
import type { Shortened, StepReport, SummaryCheck } from './report.ts'
import type { Strategy } from './strategy.ts'
import type { FoldPlan, ModelRequest, SummaryWriter } from './summary.ts'
import { isRefusal, type ToolTable } from './tools.ts'

/** All that a compaction works with. It does not change while the compaction runs. */
export interface CompactionSetup {
  /** The history as it came: `units` are `originals`, and there is no `joinDepth`. */
  readonly base: View
  /**
   * The edits that hold already: the complete set from the originals to the present view, that of an earlier
   * compaction. A compaction goes on from there and counts from that view.
   */
  readonly standing: readonly Edit[]
  readonly due: Due
  readonly budget: Budget
  readonly passes: readonly ConfiguredPass[]
  readonly invariants: readonly Invariant[]
  readonly strategy: Strategy
  readonly writer: SummaryWriter
  /** True where the app gave a source for summaries; without one the model-free summary is the summary. */
  readonly hasSummarizer: boolean
  readonly fallback: 'extractive' | 'none'
  /** What must survive, in the words of the person who asked for the compaction. */
  readonly focus: string | undefined
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
  /** All edits from the originals to the view, the standing ones included. */
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

/** Gives back the view that a compaction starts from: what would be sent without it. */
export function standingView({ base, standing }: Pick<CompactionSetup, 'base' | 'standing'>): View {
  return applyEdits(base, standing)
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
export function floorTokens(
  counts: Pick<CompactionSetup, 'countUnit' | 'countText'>,
  overheadTokens: number,
  view: View,
): number {
  const staying = mustStay(view).reduce((sum, unit) => sum + counts.countUnit(unit), 0)
  const rest = conversationTokens(counts, view) - staying
  return overheadTokens + staying + Math.min(rest, smallestCheckpoint(counts.countText))
}

/** A summary of fewer tokens says nothing. */
export const LEAST_SUMMARY_TOKENS = 48

/** What a checkpoint takes at least: its marks, and a summary of a line or two. */
export function smallestCheckpoint(countText: (text: string) => number): number {
  return countText(checkpointText('')) + LEAST_SUMMARY_TOKENS
}

/** True for a result in which a person or a policy said no, by its original text. */
export function refuses(setup: CompactionSetup, part: ToolResultPart): boolean {
  const original = part.was?.type === 'tool-result' ? part.was : part
  return isRefusal(original.text, setup.refusalPrefixes)
}
