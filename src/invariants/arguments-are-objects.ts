import { isCall, placedWhere } from '../core/exchange.ts'
import type { Invariant } from '../core/invariant.ts'
import { argumentsOf } from '../core/tools.ts'

/**
 * Arguments of a call are a JSON object (FORMATS 1, rule 10). Logs of real sessions hold arguments that were cut
 * off; they pass as they are, and no edit makes new ones (NousResearch/hermes-agent#13574).
 */
export const argumentsAreObjects: Invariant = {
  name: 'arguments-are-objects',
  refusedBy: [],
  check: (view) =>
    placedWhere(view, (part) => part.type === 'tool-call' && !argumentsOf(part))
      .filter(isCall)
      .map(({ part }) => ({
        rule: argumentsAreObjects.name,
        key: `${part.seq} ${part.index}`,
        message: `arguments of call ${part.callId} are no JSON object`,
      })),
}
