import { isDeepStrictEqual } from 'node:util'
import type { Check } from '../case-types.ts'
import { countRequest, countText } from '../count.ts'
import type { NativeRequest } from '../native.ts'

/** The output counts at most the limit. */
export const withinLimit: Check = ({ expectation, output }) => {
  const { total } = countRequest(output)
  const { limitTokens } = expectation
  return total <= limitTokens ? [] : [`the output counts ${total}, the limit is ${limitTokens}`]
}

/** The output counts no more than the input. */
export const smallerOrUnchanged: Check = ({ input, output }) => {
  const [before, after] = [countRequest(input).total, countRequest(output).total]
  return after <= before ? [] : [`the output counts ${after}, the input ${before}`]
}

/** Each request to the summary model fits its window, room for the reply included. */
export const summarizerInputBounded: Check = ({ expectation, observed }) => {
  const windowTokens = expectation.summarizer?.windowTokens
  if (windowTokens === undefined) return ['the case names no window of the summary model']
  return observed.summarizerRequests.flatMap((request, index) => {
    const tokens = countText(request.system) + countText(request.prompt) + request.maxTokens
    return tokens <= windowTokens
      ? []
      : [`summary request ${index} takes ${tokens} of ${windowTokens}`]
  })
}

/** The output equals the input, deeply. */
export const unchangedWhenFits: Check = ({ input, output }) => {
  return isDeepStrictEqual(partsOf(output), partsOf(input))
    ? []
    : ['the output is not equal to the input']
}

/** System text, tools and messages alone, so that two requests can be compared. */
export function partsOf(request: NativeRequest): NativeRequest {
  const { system, tools, messages } = request
  return {
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools }),
    messages,
  }
}
