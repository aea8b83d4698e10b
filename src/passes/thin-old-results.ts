import type { Edit } from '../core/edit.ts'
import { type Answered, answeredCalls } from '../core/exchange.ts'
import { isMarker } from '../core/marker.ts'
import { type ToolResultPart, textOf, type View } from '../core/model.ts'
import { definePass, isInserted, type PassContext, rewriteIfSmaller } from '../core/pass.ts'
import { characterCount, firstCharacters } from '../core/shorten/characters.ts'
import { type GapTexts, gapTexts, hasGap } from '../core/shorten/gap.ts'
import { withoutZeroCounts } from '../core/shorten/lines.ts'
import { callIdentity, isErrorResult, parsesAsJson, targetOf } from '../core/tools.ts'
import { callableAgain } from './callable-again.ts'

/**
 * Cuts results older than the tail to their first characters and a marker with a count (SEEDS M5).
 *
 * before: grep → 90 matches … (tail)
 * after:  grep → the first 240 characters `[5210 characters omitted; call grep again to see all]` … (tail)
 *
 * Does nothing in the tail, for short results, for protected ones, for the newest successful result of an
 * exact tool on its target, and where the result would not get smaller.
 */
export const thinOldResults = definePass({
  name: 'thin-old-results',
  defaults: {
    /** Characters that stay of an old result; shorter results are left alone (SEEDS M5). */
    keepCharacters: 240,
  },
  run: (view, options, context) => {
    const newestExact = newestExactResults(view, context)
    return answeredCalls(view).flatMap((answered): readonly Edit[] => {
      const { part, unit } = answered.result
      if (context.isTail(unit) || isInserted(part) || context.isProtected(part)) return []
      if (newestExact.has(part) || isThin(part, options.keepCharacters)) return []
      const text = thinned(answered, options.keepCharacters, context)
      return rewriteIfSmaller(thinOldResults.name, 'old result', part, text, context)
    })
  },
})

/** The room that the marker and a log's last line may take in a result that is thin already. */
const MARKER_ROOM = 700

function isThin(part: ToolResultPart, keep: number): boolean {
  if (part.text.length <= keep || isMarker(part.text)) return true
  return hasGap(part.text) && part.text.length <= 2 * keep + MARKER_ROOM
}

/** Markers point to these, or a person is about to edit what they show. */
function newestExactResults(view: View, context: PassContext): ReadonlySet<ToolResultPart> {
  const newest = new Map<string, ToolResultPart>()
  for (const { call, result } of answeredCalls(view)) {
    const semantics = context.toolSemantics(call.part.tool)
    const isRead = semantics.effect === 'read' || semantics.effect === 'neutral'
    if (!isRead || isErrorResult(result.part, semantics) || isMarker(result.part.text)) continue
    const target = semantics.exact ? targetOf(semantics, call.part) : undefined
    newest.set(target ?? callIdentity(call.part), result.part)
  }
  return pointedTo(view, newest, context)
}

/** Exact results stay as the newest of their target; others only where a marker points to them. */
function pointedTo(
  view: View,
  newest: ReadonlyMap<string, ToolResultPart>,
  context: PassContext,
): ReadonlySet<ToolResultPart> {
  const kept = new Set<ToolResultPart>()
  for (const { call, result } of answeredCalls(view)) {
    const semantics = context.toolSemantics(call.part.tool)
    const identity = callIdentity(call.part)
    const target = semantics.exact ? targetOf(semantics, call.part) : undefined
    const latest = newest.get(target ?? identity)
    if (latest && (semantics.exact || isMarker(result.part.text))) kept.add(latest)
  }
  return kept
}

function thinned({ call, result }: Answered, keep: number, context: PassContext): string {
  const original = textOf(result.part.was ?? result.part)
  const gaps = gapTexts(callableAgain(context.toolSemantics(call.part.tool), call.part.tool))
  return parsesAsJson(result.part.text)
    ? thinJson(original, keep, gaps)
    : thinText(original, keep, gaps)
}

/** One JSON string, so that what parsed still parses. */
function thinJson(original: string, keep: number, gaps: GapTexts): string {
  const head = firstCharacters(original, keep)
  return JSON.stringify(
    `${head} ${gaps.characters(characterCount(original) - characterCount(head))}`,
  )
}

const FAILURE = /\b(?:error|fail(?:ed|ure)?|panic|fatal|exception)\b/iu
/** A failure or a last line longer than this is cut too. */
const LINE_CHARACTERS = 120

/** The head, then of a log its first failure and its last line, which often is the verdict (SEEDS M5). */
function thinText(original: string, keep: number, gaps: GapTexts): string {
  const lines = original.split('\n')
  const failure = lines.find((line) => FAILURE.test(withoutZeroCounts(line)))
  const last = lines.findLast((line) => line.trim() !== '')
  const extras = failure === undefined ? [] : [failure, ...(last === failure ? [] : [last ?? ''])]
  const head = firstCharacters(original, keep)
  const kept = extras
    .map((line) => firstCharacters(line, LINE_CHARACTERS))
    .filter((line) => !head.includes(line))
  const gone =
    characterCount(original) -
    characterCount(head) -
    kept.reduce((n, line) => n + characterCount(line), 0)
  return [head, ...kept, gaps.characters(Math.max(1, gone))].join(kept.length > 0 ? '\n' : ' ')
}
