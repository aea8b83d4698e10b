import type { Edit } from '../core/edit.ts'
import { exchangesOf, isResult, type Placed } from '../core/exchange.ts'
import type { Invariant } from '../core/invariant.ts'
import { type Part, resultWithContent, type ToolResultPart, type View } from '../core/model.ts'

/**
 * A call has a single result.
 *
 * Anthropic, 400 (vectorize-io/hindsight#4250): "messages.4.content.5: each tool_use must have a single
 * result. Found multiple `tool_result` blocks with id: toolu_…". Mistral counts them too (mistralai/client-ts#106):
 * "Not the same number of function calls and responses".
 *
 * Repair: the first result stays, the others go.
 */
export const oneResultACall: Invariant = {
  name: 'one-result-a-call',
  refusedBy: ['anthropic-messages'],
  check: (view) =>
    surplusResults(view).map(({ part, unit }) => ({
      rule: oneResultACall.name,
      key: `${part.callId} ${unit.seq}`,
      message: `call ${part.callId} has more than one result, again in message ${unit.seq}`,
    })),
  repair: (view) =>
    surplusResults(view).flatMap(({ part, unit }) =>
      resultWithContent(unit.parts, part).map(removal),
    ),
}

function surplusResults(view: View): readonly Placed<ToolResultPart>[] {
  return exchangesOf(view).flatMap((exchange) => {
    const seen = new Set<string>()
    return exchange.answers.filter(isResult).filter(({ part }) => {
      const surplus = seen.has(part.callId)
      seen.add(part.callId)
      return surplus && part.seq >= 0
    })
  })
}

function removal(part: Part): Edit {
  return {
    type: 'remove',
    seq: part.seq,
    part: part.index,
    pass: oneResultACall.name,
    reason: 'second result of one call',
    tokensBefore: 0,
    tokensAfter: 0,
  }
}
