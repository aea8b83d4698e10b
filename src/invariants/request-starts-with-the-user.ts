import type { Invariant } from '../core/invariant.ts'
import { isUserMessage } from '../core/model.ts'

/**
 * The first message after the system prompt is a person's, never a result (FORMATS 1, rule 6). A history that
 * starts elsewhere is common in logs that begin in the middle and is not refused by either format today.
 */
export const requestStartsWithTheUser: Invariant = {
  name: 'request-starts-with-the-user',
  refusedBy: [],
  check: (view) => {
    const first = view.units[0]
    if (!first || isUserMessage(first)) return []
    return [
      {
        rule: requestStartsWithTheUser.name,
        key: 'start',
        message: 'the first message is no user message',
      },
    ]
  },
}
