import type { Invariant } from '../core/invariant.ts'
import type { TextPart, View } from '../core/model.ts'

/**
 * A trailing assistant message, which the provider takes as the start of its answer, does not end in white space.
 *
 * Anthropic, 400 (tailcallhq/forgecode#1872): "messages: final assistant content cannot end with trailing
 * whitespace".
 *
 * Repair: the last text is trimmed at its end, never reasoning (langchain-ai/langchain-google#1733).
 */
export const finalTextHasNoTrailingSpace: Invariant = {
  name: 'final-text-has-no-trailing-space',
  refusedBy: ['anthropic-messages'],
  check: (view) =>
    trailing(view).map((part) => ({
      rule: finalTextHasNoTrailingSpace.name,
      key: `${part.seq} ${part.index}`,
      message: 'the final assistant message ends in white space',
    })),
  repair: (view) =>
    trailing(view).map((part) => ({
      type: 'rewrite',
      seq: part.seq,
      part: part.index,
      text: part.text.trimEnd(),
      pass: finalTextHasNoTrailingSpace.name,
      reason: 'trailing white space',
      tokensBefore: 0,
      tokensAfter: 0,
    })),
}

function trailing(view: View): readonly TextPart[] {
  const unit = view.units[view.units.length - 1]
  const part = unit?.parts[unit.parts.length - 1]
  if (unit?.role !== 'assistant' || part?.type !== 'text' || part.seq < 0) return []
  return part.text.trim() !== '' && part.text !== part.text.trimEnd() ? [part] : []
}
