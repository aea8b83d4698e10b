import type { Budget, Due } from './budget.ts'
import type { Edit } from './edit.ts'
import type { Part, ToolResultPart, Unit, View } from './model.ts'
import type { FoldPlan } from './summary.ts'

/** What a strategy may ask. */
export interface StrategyContext {
  readonly due: Due
  /** True where what does not get within the budget is refused. */
  readonly mustFit: boolean
  readonly budget: Budget
  /** For each position of the view whether a tail may start there. */
  readonly legalCuts: readonly boolean[]
  readonly countText: (text: string) => number
  readonly countPart: (part: Part) => number
  readonly countUnit: (unit: Unit) => number
  readonly isRefusal: (part: ToolResultPart) => boolean
}

/** Decides what a summary replaces, and where it stands. */
export interface Strategy {
  readonly name: string
  /** What to fold; `undefined` where nothing can be folded or it is not worth a call. */
  readonly plan: (view: View, context: StrategyContext) => FoldPlan | undefined
  /** The edits that put the text in the place of what was planned. */
  readonly fold: (
    view: View,
    plan: FoldPlan,
    body: string,
    context: StrategyContext,
  ) => readonly Edit[]
}
