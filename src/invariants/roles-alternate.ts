import type { Invariant } from '../core/invariant.ts'
import type { View } from '../core/model.ts'

/**
 * User and assistant take turns; a run of results counts as one step between.
 *
 * Chat templates of local models, often under status 500: "After the optional system message, conversation
 * roles must alternate user and assistant roles…". OpenAI and Anthropic accept neighbours of one role.
 */
export const rolesAlternate: Invariant = {
  name: 'roles-alternate',
  refusedBy: [],
  check: (view) =>
    repeats(view).map((seq) => ({
      rule: rolesAlternate.name,
      key: String(seq),
      message: `message ${seq} has the role of the one before it`,
    })),
}

function repeats(view: View): readonly number[] {
  return view.units.flatMap((unit, position) => {
    const before = view.units[position - 1]
    const same = before?.role === unit.role && (unit.role === 'user' || unit.role === 'assistant')
    return same && unit.joined !== true ? [unit.seq] : []
  })
}
