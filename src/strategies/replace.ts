import type { Edit } from '../core/edit.ts'
import {
  newestUserPosition,
  stepsOf,
  taskPosition,
  unansweredUserPositions,
} from '../core/exchange.ts'
import { checkpointText, escapeMarks, NEWEST_REQUESTS, REFUSALS } from '../core/marker.ts'
import { isResultContent, isUserMessage, textOf, type Unit, type View } from '../core/model.ts'
import type { Strategy, StrategyContext } from '../core/strategy.ts'
import type { FoldPlan } from '../core/summary.ts'

/**
 * Folds the head of the history into one checkpoint inside the task's message (SEEDS M2, M3, M20, K2, K12).
 *
 * before: task · step · step · step · newest steps
 * after:  task + checkpoint · newest steps
 *
 * Plans nothing where no legal cut leaves anything to fold.
 */
export const replace: Strategy = { name: 'replace', plan, fold }

/** The summary's length: planned as at most this, and at most this share of the target (QUALITY 5.2). */
const MAX_SUMMARY_TOKENS = 2500
const SUMMARY_SHARE = 1 / 4
const MIN_SUMMARY_TOKENS = 200
/** A summary bought at soft pressure must let at least so many messages leave (SEEDS M8). */
const MIN_FOLDED_MESSAGES = 4

function plan(view: View, context: StrategyContext): FoldPlan | undefined {
  const task = taskPosition(view)
  const cut = cutPosition(view, task, context)
  if (cut === undefined) return undefined
  const folded = view.units.filter(
    (unit, position) => position < cut && position !== task && unit.seq >= 0,
  )
  if (folded.length === 0) return undefined
  const foldedTokens = sum(folded, context.countUnit)
  const kept = view.units.filter((_, position) => position >= cut || position === task)
  const left =
    context.budget.targetTokens - sum(kept, context.countUnit) - quoteTokens(view, folded, context)
  const wanted = Math.min(MAX_SUMMARY_TOKENS, Math.max(MIN_SUMMARY_TOKENS, left))
  const capTokens = Math.min(wanted, Math.floor(foldedTokens / 2))
  const found: FoldPlan = {
    headSeq: task === -1 ? undefined : view.units[task]?.seq,
    foldedSeqs: folded.map((unit) => unit.seq),
    capTokens,
    foldedTokens,
  }
  return context.due === 'soft' && !isWorthIt(found, context) ? undefined : found
}

/** What a summary is planned to take, before the cut stands. */
export function plannedSummaryTokens(targetTokens: number): number {
  return Math.min(MAX_SUMMARY_TOKENS, Math.max(0, Math.floor(targetTokens * SUMMARY_SHARE)))
}

function isWorthIt(found: FoldPlan, context: StrategyContext): boolean {
  const frees = found.foldedTokens - found.capTokens
  return found.foldedSeqs.length >= MIN_FOLDED_MESSAGES && frees >= context.budget.minimumGainTokens
}

/**
 * The first legal cut at or after the target: the start of the newest steps that fit beside task, summary and
 * quotes. Never behind the newest step, nor behind the first user message that no assistant message follows.
 */
function cutPosition(view: View, task: number, context: StrategyContext): number | undefined {
  const steps = stepsOf(view)
  const newest = steps[steps.length - 1]
  if (!newest) return undefined
  const { targetTokens } = context.budget
  const head = view.units[task]
  const room =
    targetTokens - plannedSummaryTokens(targetTokens) - (head ? context.countUnit(head) : 0)
  const last = Math.min(newest.from, firstUnfollowedUser(view))
  let from = newest.from
  let suffix = 0
  for (const step of [...steps].reverse()) {
    suffix += sum(view.units.slice(step.from, step.to), context.countUnit)
    if (step !== newest && suffix > room) break
    from = step.from
  }
  return legalCutFrom(context, Math.max(from, task + 1), last)
}

function legalCutFrom(context: StrategyContext, from: number, last: number): number | undefined {
  for (let position = from; position <= last; position++)
    if (context.legalCuts[position]) return position
  for (let position = Math.min(from, last); position > 0; position--) {
    if (context.legalCuts[position]) return position
  }
  return undefined
}

function firstUnfollowedUser(view: View): number {
  const lastAssistant = view.units.findLastIndex((unit) => unit.role === 'assistant')
  const position = view.units.findIndex(
    (unit, index) => index > lastAssistant && isUserMessage(unit),
  )
  return position === -1 ? view.units.length : position
}

/** Gives back the edits of the fold: the units leave, the checkpoint joins the head message. */
function fold(
  view: View,
  found: FoldPlan,
  body: string,
  context: StrategyContext,
): readonly Edit[] {
  const leaving = new Set(found.foldedSeqs)
  const folded = view.units.filter((unit) => leaving.has(unit.seq))
  const refusals = refusalQuotes(folded, context)
  const checkpoint = checkpointText([body, ...refusals].join('\n\n'))
  const requests = newestRequests(view, leaving)
  const text = [checkpoint, ...requests].join('\n\n')
  const base = { pass: replace.name, reason: 'folded into the checkpoint' }
  const insert: Edit = {
    ...base,
    type: 'insert',
    place:
      found.headSeq === undefined
        ? { after: -1, role: 'user' }
        : { into: found.headSeq, at: 'end' },
    content: { type: 'text', text },
    tokensBefore: 0,
    tokensAfter: context.countText(text),
  }
  const removals = folded.map(
    (unit): Edit => ({
      ...base,
      type: 'remove',
      seq: unit.seq,
      tokensBefore: context.countUnit(unit),
      tokensAfter: 0,
    }),
  )
  return [...removals, insert, ...keptMedia(view, leaving, found.headSeq)]
}

function refusalQuotes(folded: readonly Unit[], context: StrategyContext): readonly string[] {
  const quotes = folded.flatMap((unit) =>
    unit.parts.filter((part) => part.type === 'tool-result' && context.isRefusal(part)).map(textOf),
  )
  return quotes.length === 0 ? [] : [`${REFUSALS}\n${quotes.join('\n')}`]
}

/** The newest requests of the person, where the messages that hold them leave (SEEDS M20). */
function newestRequests(view: View, leaving: ReadonlySet<number>): readonly string[] {
  const positions = new Set([newestUserPosition(view), ...unansweredUserPositions(view)])
  const quotes = view.units.flatMap((unit, position) =>
    positions.has(position) && leaving.has(unit.seq) ? [wordsOf(unit)] : [],
  )
  return quotes.length === 0 ? [] : [[NEWEST_REQUESTS, ...quotes.map(escapeMarks)].join('\n')]
}

/** Media of the newest requests stays, attached to the head message. */
function keptMedia(
  view: View,
  leaving: ReadonlySet<number>,
  headSeq: number | undefined,
): readonly Edit[] {
  if (headSeq === undefined) return []
  const positions = new Set([newestUserPosition(view), ...unansweredUserPositions(view)])
  const media = view.units.flatMap((unit, position) =>
    positions.has(position) && leaving.has(unit.seq)
      ? unit.parts.filter((part) => part.type === 'media' && part.inside === undefined)
      : [],
  )
  return media.map((part) => ({
    type: 'move',
    seq: part.seq,
    part: part.index,
    place: { into: headSeq, at: 'end' },
    pass: replace.name,
    reason: 'media of the newest request',
    tokensBefore: 0,
    tokensAfter: 0,
  }))
}

function wordsOf(unit: Unit): string {
  const texts = unit.parts
    .filter((part) => part.type === 'text' && !isResultContent(part))
    .map(textOf)
  return unit.name === undefined ? texts.join('\n') : `[${unit.name}] ${texts.join('\n')}`
}

function quoteTokens(view: View, folded: readonly Unit[], context: StrategyContext): number {
  const leaving = new Set(folded.map((unit) => unit.seq))
  const texts = [
    ...refusalQuotes(folded, context),
    ...newestRequests(view, leaving),
    checkpointText(''),
  ]
  return sum(texts, context.countText)
}

function sum<T>(items: readonly T[], count: (item: T) => number): number {
  return items.reduce((total, item) => total + count(item), 0)
}
