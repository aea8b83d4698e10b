import type { Invariant } from '../core/invariant.ts'

/**
 * The last message is a user message or a result. A trailing assistant message is a prefill on Anthropic.
 *
 * Mistral, 400 (0xPlaygrounds/rig#1130): "Expected last role User or Tool (or Assistant with prefix True) for
 * serving but got assistant". A note of an app's own at the end was taken as a prefill (aaif-goose/goose#12164).
 */
export const requestEndsWithTheUser: Invariant = {
  name: 'request-ends-with-the-user',
  refusedBy: [],
  check: (view) => {
    const last = view.units[view.units.length - 1]
    if (last?.role !== 'assistant') return []
    return [
      {
        rule: requestEndsWithTheUser.name,
        key: 'end',
        message: 'the last message is the assistant’s',
      },
    ]
  },
}
