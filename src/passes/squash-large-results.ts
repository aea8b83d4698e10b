import type { Edit } from '../core/edit.ts'
import { answeredCalls } from '../core/exchange.ts'
import { definePass, isInserted, rewriteIfSmaller } from '../core/pass.ts'
import { utf8Length } from '../core/shorten/characters.ts'
import { isShortened, shortenResult } from '../core/shorten/shorten.ts'
import { callableAgain } from './callable-again.ts'

/**
 * Shortens large tool results by their form (SEEDS Z5, Z5a-c), in the tail too.
 *
 * before: run → 400 log lines
 * after:  run → first line, failures and warnings with their neighbours, last lines,
 *               `[371 lines omitted]`
 *
 * Does nothing for results up to `floorBytes`, for exact tools (file reads), for protected results and for
 * what is already squashed.
 */
export const squashLargeResults = definePass({
  name: 'squash-large-results',
  defaults: {
    /** Results up to this many UTF-8 bytes stay as they are (SEEDS Z5). */
    floorBytes: 1500,
    /** What a squashed result may take: twice the floor (SEEDS Z5). */
    budgetBytes: 3000,
  },
  run: (view, options, context) =>
    answeredCalls(view).flatMap(({ result: { part }, call }): readonly Edit[] => {
      const semantics = context.toolSemantics(call.part.tool)
      if (semantics.exact || isInserted(part) || context.isProtected(part)) return []
      if (
        utf8Length(part.text) <= options.floorBytes ||
        isShortened(part.text, options.budgetBytes)
      )
        return []
      const tool = callableAgain(semantics, call.part.tool)
      const text = shortenResult(part.text, options.budgetBytes, tool)
      return rewriteIfSmaller(squashLargeResults.name, 'large result', part, text, context)
    }),
})
