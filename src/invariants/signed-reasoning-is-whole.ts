import { placedWhere } from '../core/exchange.ts'
import type { Invariant } from '../core/invariant.ts'
import type { Part, View } from '../core/model.ts'
import { originalOf } from '../core/originals.ts'

/**
 * A signed or encrypted reasoning block is untouched or gone, never edited, never split.
 *
 * Anthropic, 400 (anthropics/claude-code#19539): "messages.5.content.1: `thinking` or `redacted_thinking`
 * blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the
 * original response." A changed text under its old signature (NoeFabris/opencode-antigravity-auth#73):
 * "Invalid `signature` in `thinking` block".
 */
export const signedReasoningIsWhole: Invariant = {
  name: 'signed-reasoning-is-whole',
  refusedBy: ['anthropic-messages'],
  check: (view) =>
    placedWhere(view, (part) => isSigned(part) && !isOriginal(view, part)).map(
      ({ part, unit }) => ({
        rule: signedReasoningIsWhole.name,
        key: `${unit.seq} ${part.index}`,
        message: `signed reasoning in message ${unit.seq} was changed`,
      }),
    ),
}

function isSigned(part: Part): boolean {
  return part.type === 'reasoning' && part.signed
}

function isOriginal(view: View, part: Part): boolean {
  const before = originalOf(view.originals, part.seq)?.parts[part.index]
  return (
    before !== undefined && (part === before || (part.was === before && sameText(part, before)))
  )
}

function sameText(part: Part, before: Part): boolean {
  return part.type === 'reasoning' && before.type === 'reasoning' && part.text === before.text
}
