import type { Edit } from '../core/edit.ts'
import { type Answered, answeredCalls } from '../core/exchange.ts'
import { isMarker, supersededMarker } from '../core/marker.ts'
import type { ToolResultPart, View } from '../core/model.ts'
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
    const newest = newestOf(operations)
    return operations.flatMap((operation, index) => {
      const at = supersedingIndex(operation, newest)
      const later = at > index ? operations[at] : undefined
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
    const result = answered.result.part
    const semantics = context.toolSemantics(call.tool)
    const failed = isErrorResult(result, semantics)
    return {
      ...answered,
      effect: semantics.effect,
      identity: callIdentity(call),
      target: targetOf(semantics, call),
      ranged: isRanged(semantics, call),
      failed,
      succeeded: !failed && !context.isProtected(result) && saysSomething(result),
    }
  })
}

/** A result up to this length whose first line speaks of failure supersedes nothing (SEEDS M19). */
const SHORT_RESULT = 240
const FAILURE_WORD =
  /error|fail|denied|refused|not found|no such|exception|forbidden|unauthori[sz]ed|blocked|interrupted|timed out|timeout|fatal|abort|unchanged/iu

/** False for stand-ins, empty answers and short ones that may be a failure: none speaks for an earlier result. */
function saysSomething(result: ToolResultPart): boolean {
  const text = result.text.trim()
  if (isInserted(result) || text === '' || text === 'null' || isMarker(text)) return false
  return text.length > SHORT_RESULT || !FAILURE_WORD.test(text.split('\n', 1)[0] ?? '')
}

/** Indexes of the newest successful operations, by what they speak for. */
interface Newest {
  readonly byCall: ReadonlyMap<string, number>
  readonly writes: ReadonlyMap<string, number>
  readonly wholeReads: ReadonlyMap<string, number>
}

function newestOf(operations: readonly Operation[]): Newest {
  const byCall = new Map<string, number>()
  const writes = new Map<string, number>()
  const wholeReads = new Map<string, number>()
  for (const [index, { effect, identity, target, ranged, succeeded }] of operations.entries()) {
    if (!succeeded) continue
    if (isQuestion(effect)) byCall.set(identity, index)
    if (target === undefined) continue
    if (effect === 'write') writes.set(target, index)
    if (effect === 'read' && !ranged) wholeReads.set(target, index)
  }
  return { byCall, writes, wholeReads }
}

/**
 * Index of the newest operation that speaks for the result of this one; at most its own where none does. An edit makes an
 * earlier whole read stale only together with a later whole read, which then is the one that speaks; so it needs
 * no case of its own.
 */
function supersedingIndex(operation: Operation, newest: Newest): number {
  const { effect, identity, target, failed } = operation
  if (failed || !isQuestion(effect)) return -1
  const same = newest.byCall.get(identity) ?? -1
  if (effect !== 'read' || target === undefined) return same
  return Math.max(same, newest.writes.get(target) ?? -1, newest.wholeReads.get(target) ?? -1)
}

/** A short answer in the place of a long one ("unchanged since last read") does not hold what the long one held. */
function isStub(part: ToolResultPart, later: Operation): boolean {
  const { text } = later.result.part
  return (
    isQuestion(later.effect) && text.length <= SHORT_RESULT && text.length < part.text.length / 2
  )
}

function isQuestion(effect: ToolEffect): boolean {
  return effect === 'read' || effect === 'neutral'
}

function evict(operation: Operation, later: Operation, context: PassContext): readonly Edit[] {
  const { part } = operation.result
  if (isStub(part, later)) return []
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
