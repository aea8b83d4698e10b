import type { Edit } from '../core/edit.ts'
import { type Placed, placedWhere } from '../core/exchange.ts'
import type { Invariant } from '../core/invariant.ts'
import { textOf, type View } from '../core/model.ts'
import { isWellFormed, wellFormed } from '../core/shorten/characters.ts'

/**
 * No text holds half of a surrogate pair: a cut inside an emoji makes one, and the request is refused from
 * then on (Kilo-Org/kilocode#10467). The parsers of some providers accept the escape, so this is a common
 * rule: it is mended where a compaction is due, and no edit ever makes such a half.
 *
 * Repair: each half becomes U+FFFD. Signed reasoning and opaque parts are never changed.
 */
export const textsAreWellFormed: Invariant = {
  name: 'texts-are-well-formed',
  refusedBy: [],
  check: (view) =>
    broken(view).map(({ part, unit }) => ({
      rule: textsAreWellFormed.name,
      key: `${part.seq} ${part.index}`,
      message: `message ${unit.seq} holds half of a surrogate pair`,
    })),
  repair: (view) => broken(view).map(mend),
}

function broken(view: View): readonly Placed[] {
  return placedWhere(
    view,
    (part) =>
      (part.type === 'text' || part.type === 'tool-result') &&
      part.seq >= 0 &&
      !isWellFormed(textOf(part)),
  )
}

function mend({ part }: Placed): Edit {
  return {
    type: 'rewrite',
    seq: part.seq,
    part: part.index,
    text: wellFormed(textOf(part)),
    pass: textsAreWellFormed.name,
    reason: 'half of a surrogate pair',
    tokensBefore: 0,
    tokensAfter: 0,
  }
}
