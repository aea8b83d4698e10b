import type { Invariant } from '../core/invariant.ts'
import { type Part, textOf, type View } from '../core/model.ts'

/** 32 MB. */
const MAX_BODY_BYTES = 32_000_000

/**
 * The request body is at most 32 MB.
 *
 * Anthropic, 413 `request_too_large` (anthropics/anthropic-sdk-python#938): "Request exceeds the maximum size".
 * Counted from below, by the characters of texts and the bytes of media.
 */
export const bodyHasALimit: Invariant = {
  name: 'body-has-a-limit',
  refusedBy: ['anthropic-messages'],
  check: (view) => {
    const bytes = bodyBytes(view)
    if (bytes <= MAX_BODY_BYTES) return []
    const message = `the messages hold ${bytes} bytes; ${MAX_BODY_BYTES} are allowed`
    return [{ rule: bodyHasALimit.name, key: 'body', message }]
  },
}

function bodyBytes(view: View): number {
  return view.units.reduce(
    (sum, unit) => sum + unit.parts.reduce((so, part) => so + size(part), 0),
    0,
  )
}

function size(part: Part): number {
  return part.type === 'media' ? part.bytes : textOf(part).length
}
