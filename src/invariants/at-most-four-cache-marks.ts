import { placedWhere } from '../core/exchange.ts'
import type { Invariant } from '../core/invariant.ts'
import type { Part, View } from '../core/model.ts'

const MAX_CACHE_MARKS = 4

/**
 * At most four blocks of a request carry a cache mark (FORMATS 2.3), none of them reasoning or blank text.
 *
 * Seen as a session that each later request failed with (oguzbilgic/kern-ai#316): five marks, one on each of
 * three parallel results.
 *
 * Repair: of the marks in messages the newest stay, since they end the longest cached prefixes.
 */
export const atMostFourCacheMarks: Invariant = {
  name: 'at-most-four-cache-marks',
  refusedBy: ['anthropic-messages'],
  check: (view) =>
    surplus(view).map((part) => ({
      rule: atMostFourCacheMarks.name,
      key: `${part.seq} ${part.index}`,
      message: `more than ${MAX_CACHE_MARKS} cache marks, or one on reasoning or a blank text`,
    })),
  repair: (view) =>
    surplus(view).map((part) => ({
      type: 'unmark',
      seq: part.seq,
      part: part.index,
      pass: atMostFourCacheMarks.name,
      reason: 'cache mark over the limit',
      tokensBefore: 0,
      tokensAfter: 0,
    })),
}

function surplus(view: View): readonly Part[] {
  const marked = placedWhere(view, (part) => part.cacheMark === true).map(({ part }) => part)
  const misplaced = marked.filter((part) => !mayCarryMark(part))
  const room = Math.max(0, MAX_CACHE_MARKS - view.headCacheMarks)
  const legal = marked.filter(mayCarryMark)
  return [...misplaced, ...legal.slice(0, Math.max(0, legal.length - room))]
}

function mayCarryMark(part: Part): boolean {
  return part.type !== 'reasoning' && !(part.type === 'text' && part.text.trim() === '')
}
