import { smallestCheckpoint } from '../core/compaction-state.ts'
import { newestUserPosition, unansweredUserPositions } from '../core/exchange.ts'
import { LONG_BYTES } from '../core/last-rung.ts'
import {
  checkpointText,
  escapeMarks,
  itemsOmitted,
  mediaRemovedMarker,
  NEWEST_REQUESTS,
  REFUSALS,
} from '../core/marker.ts'
import { isResultContent, type Part, textOf, type Unit, type View } from '../core/model.ts'
import type { Shortened } from '../core/report.ts'
import { utf8Length } from '../core/shorten/characters.ts'
import { shortenPaste } from '../core/shorten/paste.ts'
import type { StrategyContext } from '../core/strategy.ts'
import type { FoldPlan } from '../core/summary.ts'

/** What a plan says of which units leave and where the checkpoint goes. */
type Leaving = Pick<FoldPlan, 'headSeq' | 'foldedSeqs' | 'earlierSeqs'>

/** All that a checkpoint stands for, whether it leaves now or left before. Made once for each plan. */
export interface Gone {
  readonly plan: Leaving
  /** In the order of the history, as it is with nothing folded. */
  readonly units: readonly Unit[]
  /** Those of them that hold the newest requests of the person (SEEDS M20). */
  readonly newest: readonly Unit[]
}

/** Gives back what a plan takes away, with what was taken before. */
export function goneBy(plan: Leaving, { unfolded }: StrategyContext): Gone {
  const seqs = new Set([...plan.foldedSeqs, ...plan.earlierSeqs])
  const units = unfolded.units.filter((unit) => seqs.has(unit.seq))
  const positions = new Set([newestUserPosition(unfolded), ...unansweredUserPositions(unfolded)])
  const newest = [...positions]
    .sort((left, right) => left - right)
    .flatMap((position) => unfolded.units[position] ?? [])
    .filter((unit) => seqs.has(unit.seq))
  return { plan, units, newest }
}

/** Refusals of a person or a policy, word for word, each once (SEEDS M7). */
export function refusalQuotes(gone: Gone, context: StrategyContext): readonly string[] {
  const quotes: string[] = []
  for (const { parts } of gone.units) {
    for (const part of parts) {
      if (part.type === 'tool-result' && context.isRefusal(part))
        quotes.push(textOf(part.was ?? part))
    }
  }
  return quotes.length === 0 ? [] : [[REFUSALS, ...new Set(quotes.map(escapeMarks))].join('\n')]
}

/** More notes than this say nothing more: the last one counts the rest. */
const MAX_MEDIA_NOTES = 8

/** What was attached to the messages that leave and is not attached any more (KNOWN-FAILURES D25). */
export function mediaNotes(gone: Gone): readonly string[] {
  const kept = new Set(newestMedia(gone))
  const notes = new Set<string>()
  for (const { parts } of gone.units) {
    for (const part of parts) {
      const media = part.was ?? part
      if (media.type !== 'media' || kept.has(part)) continue
      notes.add(mediaRemovedMarker(media.mediaType, media.name))
    }
  }
  const distinct = [...notes]
  const rest = distinct.length - MAX_MEDIA_NOTES
  const shown = distinct.slice(0, MAX_MEDIA_NOTES)
  if (rest > 0) shown.push(itemsOmitted(rest, distinct.length))
  return shown.length === 0 ? [] : [shown.join('\n')]
}

/** A request as the checkpoint quotes it. */
interface RequestQuote {
  readonly text: string
  readonly shortened: Shortened | undefined
}

/** The newest requests of the person, where the messages that hold them leave (SEEDS M20). */
export function newestRequests(
  view: View,
  { plan, newest }: Gone,
  context: StrategyContext,
): readonly RequestQuote[] {
  const total = sum(newest.map(wordsOf), context.countText)
  const room = roomForRequests(view, plan, context)
  return newest.map((unit) => {
    // What leaves now was shortened in its place where that was needed.
    const isEarlier = plan.earlierSeqs.includes(unit.seq)
    return total > room && isEarlier
      ? shortenedRequest(unit, room / total, context)
      : { text: wordsOf(unit), shortened: undefined }
  })
}

/** Requests that were quoted before get at least this share of the allowance. */
const REQUEST_SHARE = 1 / 4

function roomForRequests(view: View, plan: Leaving, context: StrategyContext): number {
  if (!context.mustFit || plan.earlierSeqs.length === 0) return Number.POSITIVE_INFINITY
  const { allowanceTokens } = context.budget
  const kept = keptTokens(view, plan.foldedSeqs, context)
  const room = allowanceTokens - kept - smallestCheckpoint(context.countText)
  return Math.max(room, Math.floor(allowanceTokens * REQUEST_SHARE))
}

/** The last rung reaches no request that was folded, so its paste is shortened where it is quoted. */
function shortenedRequest(unit: Unit, share: number, context: StrategyContext): RequestQuote {
  const whole = wordsOf(unit)
  const text = shortenPaste(whole, LONG_BYTES, Math.floor(utf8Length(whole) * share))
  const [tokensBefore, tokensAfter] = [context.countText(whole), context.countText(text)]
  if (tokensAfter >= tokensBefore) return { text: whole, shortened: undefined }
  return { text, shortened: { seq: unit.seq, what: 'paste', tokensBefore, tokensAfter } }
}

/** The section that stands behind the checkpoint, or none. */
export function requestSection(requests: readonly RequestQuote[]): readonly string[] {
  const quotes = requests.map(({ text }) => escapeMarks(text))
  return quotes.length === 0 ? [] : [[NEWEST_REQUESTS, ...quotes].join('\n')]
}

/** Media of the newest requests, where the messages that hold it leave and there is a message to attach it to. */
export function newestMedia({ plan, newest }: Gone): readonly Part[] {
  if (plan.headSeq === undefined) return []
  return newest.flatMap((unit) =>
    unit.parts.filter((part) => part.type === 'media' && part.inside === undefined),
  )
}

function wordsOf(unit: Unit): string {
  const texts = unit.parts
    .filter((part) => part.type === 'text' && !isResultContent(part))
    .map(textOf)
  return unit.name === undefined ? texts.join('\n') : `[${unit.name}] ${texts.join('\n')}`
}

/** What a checkpoint takes beside its summary. */
export function quoteTokens(view: View, gone: Gone, context: StrategyContext): number {
  const texts = [
    ...refusalQuotes(gone, context),
    ...mediaNotes(gone),
    ...requestSection(newestRequests(view, gone, context)),
    checkpointText(''),
  ]
  return sum(texts, context.countText)
}

/** What stays beside the checkpoint takes. */
export function keptTokens(
  view: View,
  foldedSeqs: readonly number[],
  context: StrategyContext,
): number {
  const leaving = new Set(foldedSeqs)
  const kept = view.units.filter((unit) => !leaving.has(unit.seq))
  return sum(kept, context.countUnit)
}

/** Gives back the counts of all items together. */
export function sum<T>(items: readonly T[], count: (item: T) => number): number {
  return items.reduce((total, item) => total + count(item), 0)
}
