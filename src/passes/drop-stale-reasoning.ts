import type { Edit } from '../core/edit.ts'
import { taskPosition, toolLoopStart } from '../core/exchange.ts'
import { hasResults, type Part, type View } from '../core/model.ts'
import { definePass, isInserted } from '../core/pass.ts'

/**
 * Takes away reasoning of turns that are over, whole blocks only.
 *
 * before: assistant → thinking, text … user → next question
 * after:  assistant → text … user → next question
 *
 * Does nothing in the tail and in the running tool loop, whose reasoning providers demand back (FORMATS 1, rule 5).
 */
export const dropStaleReasoning = definePass({
  name: 'drop-stale-reasoning',
  defaults: {},
  run: (view, _options, context) =>
    view.units
      .slice(answeredByTask(view), toolLoopStart(view))
      .flatMap((unit) =>
        context.isTail(unit)
          ? []
          : unit.parts
              .filter(
                (part) =>
                  part.type === 'reasoning' && !isInserted(part) && !context.isProtected(part),
              )
              .map((part) => removal(part, context.count(part))),
      ),
})

/**
 * Where the first user message carries results, what it answers stays with it, and a fold may join the newest
 * message to it: then those calls are the running loop again. Position behind them; 0 in the ordinary case.
 */
function answeredByTask(view: View): number {
  const task = taskPosition(view)
  const unit = view.units[task]
  return unit && hasResults(unit) ? task : 0
}

function removal(part: Part, tokensBefore: number): Edit {
  return {
    type: 'remove',
    seq: part.seq,
    part: part.index,
    pass: dropStaleReasoning.name,
    reason: 'reasoning of an earlier turn',
    tokensBefore,
    tokensAfter: 0,
  }
}
