import type { Edit } from '../core/edit.ts'
import { type Answered, answeredCalls } from '../core/exchange.ts'
import { isMarker, supersededMarker } from '../core/marker.ts'
import type { View } from '../core/model.ts'
import { definePass, isInserted, type PassContext, rewriteIfSmaller } from '../core/pass.ts'
import { callIdentity, isErrorResult, isRanged, type ToolEffect, targetOf } from '../core/tools.ts'

/**
 * Puts a marker in place of results that a newer successful operation speaks for (SEEDS Z4, M6), in the tail too.
 *
 * before: read a.ts → 400 lines … read a.ts → 400 lines
 * after:  read a.ts → `[superseded: a later identical call of read below has the current content; …]`
 *         read a.ts → 400 lines
 *
 * Does nothing for actions and undeclared tools, for failures, and where no newer operation covers the result.
 */
export const evictSupersededResults = definePass({
  name: 'evict-superseded-results',
  defaults: {},
  run: (view, _options, context) => {
    const operations = operationsOf(view, context)
    return operations.flatMap((operation, index) => {
      const later = supersedingOf(operation, operations.slice(index + 1))
      return later ? evict(operation, later, context) : []
    })
  },
})

interface Operation extends Answered {
  readonly effect: ToolEffect
  readonly identity: string
  readonly target: string | undefined
  readonly ranged: boolean
  /** False for failures and for what may be one: it supersedes nothing. */
  readonly succeeded: boolean
  readonly failed: boolean
}

function operationsOf(view: View, context: PassContext): readonly Operation[] {
  return answeredCalls(view).map((answered) => {
    const call = answered.call.part
    const semantics = context.toolSemantics(call.tool)
    const failed = isErrorResult(answered.result.part, semantics)
    return {
      ...answered,
      effect: semantics.effect,
      identity: callIdentity(call),
      target: targetOf(semantics, call),
      ranged: isRanged(semantics, call),
      failed,
      succeeded: !failed && !mayBeFailure(answered.result.part.isError, answered.result.part.text),
    }
  })
}

/** A short result whose first line speaks of failure supersedes nothing, where the format has no flag (SEEDS M19). */
const MAX_FAILURE_LENGTH = 240
const FAILURE_WORD = /error|fail|denied|refused|not found|no such|exception/iu

function mayBeFailure(isError: boolean | undefined, text: string): boolean {
  if (isError !== undefined || text.length > MAX_FAILURE_LENGTH) return false
  return FAILURE_WORD.test(text.split('\n', 1)[0] ?? '')
}

/**
 * The first later operation that speaks for this one, if any. An edit makes an earlier whole read stale only
 * together with a later whole read, which then is the one that speaks; so it needs no case of its own.
 */
function supersedingOf(operation: Operation, later: readonly Operation[]): Operation | undefined {
  if (operation.failed || operation.effect === 'action' || operation.effect === 'write')
    return undefined
  if (operation.effect === 'edit') return undefined
  return later.findLast((other) => other.succeeded && supersedes(other, operation))
}

function supersedes(other: Operation, operation: Operation): boolean {
  const isRepetition = other.identity === operation.identity && isQuestion(other.effect)
  if (isRepetition) return true
  if (operation.effect !== 'read' || operation.target === undefined) return false
  if (other.target !== operation.target) return false
  return other.effect === 'write' || (other.effect === 'read' && !other.ranged)
}

function isQuestion(effect: ToolEffect): boolean {
  return effect === 'read' || effect === 'neutral'
}

function evict(operation: Operation, later: Operation, context: PassContext): readonly Edit[] {
  const { part } = operation.result
  if (isMarker(part.text) || isInserted(part) || context.isProtected(part)) return []
  const by = later.call.part.tool
  const text = supersededMarker(by, operation.call.part.tool)
  return rewriteIfSmaller(
    evictSupersededResults.name,
    `superseded by a later ${by}`,
    part,
    text,
    context,
  )
}
