import type { Edit } from '../core/edit.ts'
import { type Answered, answeredCalls } from '../core/exchange.ts'
import { isMarker, repeatedFailureMarker } from '../core/marker.ts'
import { definePass, isInserted, type PassContext, rewriteIfSmaller } from '../core/pass.ts'
import { callIdentity, isErrorResult, targetOf } from '../core/tools.ts'

/**
 * Puts a marker in place of failures that happened again with the same error (SEEDS M7), in the tail too.
 *
 * before: write_note → error: … (15 times)
 * after:  write_note → `[repeated failure: the same call of write_note failed again later …]` (14 times)
 *         write_note → error: …
 *
 * Does nothing for successes, different errors and refusals by a person or a policy.
 */
export const collapseRepeatedFailures = definePass({
  name: 'collapse-repeated-failures',
  defaults: {},
  run: (view, _options, context) => {
    const newest = new Map<string, Answered>()
    const failures = answeredCalls(view).filter((answered) => isFailure(answered, context))
    for (const failure of failures) newest.set(failureKey(failure, context), failure)
    return failures.flatMap((failure) =>
      newest.get(failureKey(failure, context)) === failure ? [] : collapse(failure, context),
    )
  },
})

function isFailure({ call, result }: Answered, context: PassContext): boolean {
  const { part } = result
  if (isMarker(part.text) || isInserted(part) || context.isProtected(part)) return false
  return isErrorResult(part, context.toolSemantics(call.part.tool))
}

/** Same target, or the same arguments where the tool names none, and the same error apart from outer blanks. */
function failureKey({ call, result }: Answered, context: PassContext): string {
  const target = targetOf(context.toolSemantics(call.part.tool), call.part)
  const what = target === undefined ? callIdentity(call.part) : `${call.part.tool} ${target}`
  return `${what}\n${result.part.text.trim()}`
}

function collapse({ call, result }: Answered, context: PassContext): readonly Edit[] {
  const text = repeatedFailureMarker(call.part.tool)
  return rewriteIfSmaller(
    collapseRepeatedFailures.name,
    'failed again with the same error',
    result.part,
    text,
    context,
  )
}
