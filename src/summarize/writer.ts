import type { Sliced } from '../core/sliced.ts'
import { allFoldedUnits, type Fold, type SummaryWriter } from '../core/summary.ts'
import { checkSummary, type Evidence, TOP_ENTITIES } from './check-summary.ts'
import { extractiveSummary } from './extractive.ts'
import { linesOf } from './lines.ts'
import { summaryRequest } from './prompt.ts'
import { salienceOf, topEntities } from './salience.ts'

/** Gives back what a compaction needs to know of summaries: the prompt, the checks and the way without a model. */
export function summaryWriter(countText: (text: string) => number): SummaryWriter {
  return {
    *ask(fold, rejected) {
      const { index } = yield* evidenceOf(fold, countText)
      const top = topEntities(index, TOP_ENTITIES)
      return summaryRequest(
        fold,
        top.map((salience) => salience.text),
        rejected,
      )
    },
    *check(fold, reply) {
      return checkSummary(reply, yield* evidenceOf(fold, countText))
    },
    extract: (fold) => extractiveSummary(fold, countText),
  }
}

function* evidenceOf(fold: Fold, countText: (text: string) => number): Sliced<Evidence> {
  const units = allFoldedUnits(fold)
  const lines = yield* linesOf(units)
  const index = yield* salienceOf(lines, units.length, fold.kept)
  return { fold, lines, index, countText }
}
