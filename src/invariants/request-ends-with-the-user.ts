import type { Invariant } from '../core/invariant.ts'
import type { View } from '../core/model.ts'

/** Stands at the end where the newest message of the user's side held nothing that can be sent. */
const NOTHING_TO_SEND = '[the newest message held nothing that can be sent]'

/**
 * A request that ended with the user's side still does. A trailing assistant message is a prefill on Anthropic;
 * an app may mean one, so a history that arrives with one is left alone.
 *
 * Mistral, 400 (0xPlaygrounds/rig#1130): "Expected last role User or Tool (or Assistant with prefix True) for
 * serving but got assistant". A note of an app's own at the end was taken as a prefill (aaif-goose/goose#12164).
 *
 * Repair: where another repair took the last message away, a note stands in its place.
 */
export const requestEndsWithTheUser: Invariant = {
  name: 'request-ends-with-the-user',
  refusedBy: ['openai-chat', 'anthropic-messages'],
  check: (view) => {
    if (!lostItsEnd(view)) return []
    const message = 'the last message became the assistant’s'
    return [{ rule: requestEndsWithTheUser.name, key: 'end', message }]
  },
  repair: (view) => {
    const last = view.units[view.units.length - 1]
    if (!lostItsEnd(view) || !last || last.seq < 0) return []
    return [
      {
        type: 'insert',
        place: { after: last.seq, role: 'user' },
        content: { type: 'text', text: NOTHING_TO_SEND },
        pass: requestEndsWithTheUser.name,
        reason: 'the last message held nothing that can be sent',
        tokensBefore: 0,
        tokensAfter: 0,
      },
    ]
  },
}

function lostItsEnd({ units, originals }: View): boolean {
  const [now, before] = [units[units.length - 1], originals[originals.length - 1]]
  return now?.role === 'assistant' && before?.role !== 'assistant'
}
