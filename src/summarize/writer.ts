import { allFoldedUnits, type Fold, type SummaryWriter } from '../core/summary.ts'
import { checkSummary, type Evidence, TOP_ENTITIES } from './check-summary.ts'
import { extractiveSummary } from './extractive.ts'
import { linesOf } from './lines.ts'
import { summaryRequest } from './prompt.ts'
import { salienceOf, topEntities } from './salience.ts'

/** Gives back what a compaction needs to know of summaries: the prompt, the checks and the way without a model. */
export function summaryWriter(countText: (text: string) => number): SummaryWriter {
  return {
    ask: (fold, rejected) => {
      const top = topEntities(evidenceOf(fold, countText).index, TOP_ENTITIES)
      return summaryRequest(
        fold,
        top.map((salience) => salience.text),
        rejected,
      )
    },
    check: (fold, reply) => checkSummary(reply, evidenceOf(fold, countText)),
    extract: (fold) => extractiveSummary(fold, countText),
  }
}

function evidenceOf(fold: Fold, countText: (text: string) => number): Evidence {
  const units = allFoldedUnits(fold)
  const lines = linesOf(units)
  return { fold, lines, index: salienceOf(lines, units.length, fold.kept), countText }
}
