import type { Invariant } from '../core/invariant.ts'

const MAX_MESSAGES = 100_000

/** A request has at most 100,000 messages (Anthropic; FORMATS 2.3, common knowledge without a recorded refusal). */
export const messagesHaveALimit: Invariant = {
  name: 'messages-have-a-limit',
  refusedBy: ['anthropic-messages'],
  check: (view) => {
    if (view.units.length <= MAX_MESSAGES) return []
    const message = `${view.units.length} messages; ${MAX_MESSAGES} are allowed`
    return [{ rule: messagesHaveALimit.name, key: 'messages', message }]
  },
}
