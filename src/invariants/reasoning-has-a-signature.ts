import type { Edit } from '../core/edit.ts'
import { placedWhere } from '../core/exchange.ts'
import type { Invariant } from '../core/invariant.ts'
import type { ReasoningPart, View } from '../core/model.ts'

/**
 * Where the provider signs reasoning, a block without its signature is not sent back.
 *
 * Anthropic, 400 (langchain-ai/langchain#29971): "messages.1.content.0.thinking.signature: Field required".
 *
 * Repair: the block goes whole. It came from another model, or from an export that keeps no signatures.
 */
export const reasoningHasASignature: Invariant = {
  name: 'reasoning-has-a-signature',
  refusedBy: ['anthropic-messages'],
  check: (view) =>
    unsigned(view).map((part) => ({
      rule: reasoningHasASignature.name,
      key: `${part.seq} ${part.index}`,
      message: `reasoning in message ${part.seq} has no signature`,
    })),
  repair: (view) => unsigned(view).map(removal),
}

function unsigned(view: View): readonly ReasoningPart[] {
  if (!view.dialect.signsReasoning) return []
  return placedWhere(view, (part) => part.type === 'reasoning').flatMap(({ part }) =>
    part.type === 'reasoning' && !part.signed ? [part] : [],
  )
}

function removal(part: ReasoningPart): Edit {
  return {
    type: 'remove',
    seq: part.seq,
    part: part.index,
    pass: reasoningHasASignature.name,
    reason: 'reasoning without signature',
    tokensBefore: 0,
    tokensAfter: 0,
  }
}
