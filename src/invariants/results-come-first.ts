import type { Edit } from '../core/edit.ts'
import { exchangesOf, type Placed } from '../core/exchange.ts'
import type { Invariant } from '../core/invariant.ts'
import { isResultContent, type View } from '../core/model.ts'

/**
 * In the turn that answers calls, results stand before anything else.
 *
 * Anthropic, 400 (anthropics/anthropic-sdk-typescript#653, older wording): "Did not find 1 tool_result
 * block(s) at the beginning of this message. Messages following tool_use blocks must begin with a matching
 * number of tool_result blocks." Merged neighbours count as one message.
 *
 * Repair: what stands before the results moves behind them.
 */
export const resultsComeFirst: Invariant = {
  name: 'results-come-first',
  refusedBy: ['anthropic-messages'],
  check: (view) =>
    early(view).map(({ placed }) => ({
      rule: resultsComeFirst.name,
      key: `${placed.part.seq} ${placed.part.index}`,
      message: `message ${placed.unit.seq} has content before the results that it must begin with`,
    })),
  repair: (view) =>
    early(view)
      .filter(({ placed }) => placed.part.seq >= 0)
      .map(({ placed, into }) => moveBehind(placed, into)),
}

interface Early {
  readonly placed: Placed
  /** The unit that holds the last result of the turn. */
  readonly into: number
}

function early(view: View): readonly Early[] {
  if (view.dialect.resultRole !== 'user') return []
  return exchangesOf(view).flatMap((exchange) => {
    const last = exchange.answers.findLastIndex(({ part }) => isResultContent(part))
    const into = exchange.answers[last]?.unit.seq ?? -1
    const before = exchange.answers.slice(0, Math.max(0, last))
    return into < 0
      ? []
      : before.filter(({ part }) => !isResultContent(part)).map((placed) => ({ placed, into }))
  })
}

function moveBehind({ part }: Placed, into: number): Edit {
  return {
    type: 'move',
    seq: part.seq,
    part: part.index,
    place: { into, at: 'end' },
    pass: resultsComeFirst.name,
    reason: 'content before the results',
    tokensBefore: 0,
    tokensAfter: 0,
  }
}
