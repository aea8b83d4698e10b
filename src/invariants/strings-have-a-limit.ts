import { placedWhere } from '../core/exchange.ts'
import type { Invariant } from '../core/invariant.ts'
import { textOf } from '../core/model.ts'

/** 10 MiB, counted in characters by the message below. */
const MAX_STRING_LENGTH = 10_485_760

/**
 * No single string is longer than 10 MiB.
 *
 * OpenAI, 400 `string_above_max_length` (VectorlyApp/bluebox#31): "Invalid 'input[0].content': string too
 * long. Expected a string with maximum length 10485760, but got a string with length … instead."
 */
export const stringsHaveALimit: Invariant = {
  name: 'strings-have-a-limit',
  refusedBy: ['openai-chat'],
  check: (view) =>
    placedWhere(view, (part) => textOf(part).length > MAX_STRING_LENGTH).map(({ part, unit }) => ({
      rule: stringsHaveALimit.name,
      key: `${part.seq} ${part.index}`,
      message: `message ${unit.seq} holds ${textOf(part).length} characters; ${MAX_STRING_LENGTH} are allowed`,
    })),
}
