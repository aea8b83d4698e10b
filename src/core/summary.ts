import type { Unit } from './model.ts'
import type { SummaryCheck } from './report.ts'
import type { Sliced } from './sliced.ts'

/** A call that a compaction wants made to a model. Plain data: the loop on the page makes it. */
export interface ModelRequest {
  /** What the call is for; it is metered under this name. */
  readonly kind: 'summary' | 'regeneration'
  /** The system text: a persona of its own that acts on nothing (SEEDS K20, M11). */
  readonly system: string
  /** The one user message: the recording as quoted data, the instruction last. */
  readonly prompt: string
  /** The most that the answer may take. */
  readonly maxTokens: number
}

/** What came back of a call. */
export type ModelReply =
  | { readonly type: 'text'; readonly text: string; readonly finish: string | undefined }
  /** A failure of the provider, a time-out included: the summary failed, nothing else (SEEDS K4). */
  | { readonly type: 'failed'; readonly message: string }

/** What a strategy wants folded into a checkpoint. Plain data. */
export interface FoldPlan {
  /** `seq` of the message that will hold the checkpoint; `undefined` where the history has no task. */
  readonly headSeq: number | undefined
  /** `seq` of the units that leave now, oldest first. */
  readonly foldedSeqs: readonly number[]
  /** `seq` of the units that had left before, oldest first: the new checkpoint stands for them too. */
  readonly earlierSeqs: readonly number[]
  /** What the summary may take. */
  readonly capTokens: number
  /** What leaves counts: the units and, where one stands, the earlier checkpoint. */
  readonly foldedTokens: number
}

/** What a summary is made from. */
export interface Fold {
  /** The units that leave, as they stand now. Their originals are read; only markers stand in for text. */
  readonly units: readonly Unit[]
  /** The checkpoint that goes into the new one, with the units that it stands for as they came. */
  readonly earlier: { readonly text: string; readonly units: readonly Unit[] } | undefined
  /** What stays in the request word for word: a summary need not repeat it. */
  readonly kept: readonly Unit[]
  readonly capTokens: number
  readonly foldedTokens: number
  /** What must survive, in the words of the person who asked for the compaction. */
  readonly focus: string | undefined
}

/** Gives back all units that the new checkpoint stands for, those that left before first. */
export function allFoldedUnits({ earlier, units }: Fold): readonly Unit[] {
  return earlier ? [...earlier.units, ...units] : units
}

/** What the checks say of a summary. */
export type SummaryVerdict =
  | { readonly type: 'accepted'; readonly text: string; readonly checks: readonly SummaryCheck[] }
  | {
      readonly type: 'rejected'
      readonly reason: string
      /** True where one more call may help (SEEDS K3). */
      readonly mayRegenerate: boolean
      readonly checks: readonly SummaryCheck[]
    }

/** Writes the requests for summaries, checks what comes back, and can do without a model. Pure, in slices. */
export interface SummaryWriter {
  /** The request for a summary; after a rejected one, with what was wrong with it. */
  readonly ask: (fold: Fold, rejected: string | undefined) => Sliced<ModelRequest>
  readonly check: (fold: Fold, reply: ModelReply) => Sliced<SummaryVerdict>
  /** The summary without a model. */
  readonly extract: (fold: Fold) => Sliced<string>
}

/** A summary is planned as at most so many tokens, and at most this share of the target (QUALITY 5.2). */
export const MAX_SUMMARY_TOKENS = 2500
const SUMMARY_SHARE = 1 / 4

/** What a summary is planned to take, before the cut stands. */
export function plannedSummaryTokens(targetTokens: number): number {
  return Math.min(MAX_SUMMARY_TOKENS, Math.max(0, Math.floor(targetTokens * SUMMARY_SHARE)))
}
