import type { Budget, Due } from './budget.ts'
import type { Edit } from './edit.ts'
import type { Part, ToolResultPart, Unit, View } from './model.ts'
import type { Shortened } from './report.ts'
import type { Sliced } from './sliced.ts'
import type { StandingFold } from './standing-fold.ts'
import type { FoldPlan } from './summary.ts'

/** What a strategy may ask. */
export interface StrategyContext {
  readonly due: Due
  /** True where what does not get within the budget is refused. */
  readonly mustFit: boolean
  readonly budget: Budget
  /** For each position of the view whether a tail may start there. Linear in the view each time it is asked for. */
  readonly legalCuts: readonly boolean[]
  /** The view with nothing folded, earlier folds included. */
  readonly unfolded: View
  /** The fold that stands from an earlier compaction; it goes into the next one. */
  readonly earlier: StandingFold | undefined
  readonly countText: (text: string) => number
  readonly countPart: (part: Part) => number
  readonly countUnit: (unit: Unit) => number
  readonly isRefusal: (part: ToolResultPart) => boolean
}

/** A fold, as edits. */
export interface FoldEdits {
  readonly edits: readonly Edit[]
  /** What had to be shortened inside it. */
  readonly shortened: readonly Shortened[]
}

/**
 * Decides what a summary replaces, and where it stands. The view is given without the checkpoint of an earlier fold.
 * All edits carry the name of the strategy as their pass: that is how the next compaction finds them. It removes
 * whole units, inserts one text and may move media.
 */
export interface Strategy {
  readonly name: string
  /** What to fold; `undefined` where nothing can be folded or it is not worth a call. */
  readonly plan: (view: View, context: StrategyContext) => Sliced<FoldPlan | undefined>
  /** The edits that put the text in the place of what was planned. */
  readonly fold: (view: View, plan: FoldPlan, body: string, context: StrategyContext) => FoldEdits
}
