import { LEAST_SUMMARY_TOKENS } from '../core/compaction-state.ts'
import type { Edit } from '../core/edit.ts'
import { type StepSpan, stepsOf, taskPosition } from '../core/exchange.ts'
import { checkpointText } from '../core/marker.ts'
import { hasResults, isUserMessage, type Unit, type View } from '../core/model.ts'
import type { Sliced } from '../core/sliced.ts'
import type { FoldEdits, Strategy, StrategyContext } from '../core/strategy.ts'
import { type FoldPlan, MAX_SUMMARY_TOKENS, plannedSummaryTokens } from '../core/summary.ts'
import {
  type Gone,
  goneBy,
  keptTokens,
  mediaNotes,
  newestMedia,
  newestRequests,
  quoteTokens,
  refusalQuotes,
  requestSection,
  sum,
} from './quotes.ts'

/**
 * Folds the head of the history into one checkpoint inside the task's message (SEEDS M2, M3, M20, K2, K12). An
 * earlier checkpoint is replaced by the new one, which stands for what both fold.
 *
 * before: task · step · step · step · newest steps
 * after:  task + checkpoint · newest steps
 *
 * Plans nothing where no legal cut leaves anything to fold.
 */
export const replace: Strategy = { name: 'replace', plan, fold }

const MIN_SUMMARY_TOKENS = 200
/** A summary may run over its length by this factor before it is refused (QUALITY 5.4). */
const OVERRUN = 1.3
/** Later cuts that are tried where the first leaves too little room for a summary. */
const MAX_CUTS = 16
/** A summary bought at soft pressure must let at least so many messages leave (SEEDS M8). */
const MIN_FOLDED_MESSAGES = 4

function* plan(view: View, context: StrategyContext): Sliced<FoldPlan | undefined> {
  const task = taskPosition(view)
  let best: Candidate | undefined
  for (const cut of cutPositions(view, task, context)) {
    yield
    const found = planAt(view, task, cut, context)
    if (found && (!best || found.leftTokens > best.leftTokens)) best = found
    if (best && best.leftTokens >= MIN_SUMMARY_TOKENS * OVERRUN) break
  }
  return best && context.due === 'soft' && !isWorthIt(best.plan, context) ? undefined : best?.plan
}

interface Candidate {
  readonly plan: FoldPlan
  /** What of the target is left for the summary; negative where what stays is too much alone. */
  readonly leftTokens: number
}

/** What a fold at the cut comes to; `undefined` where nothing leaves or nothing is won. */
function planAt(
  view: View,
  task: number,
  cut: number,
  context: StrategyContext,
): Candidate | undefined {
  const head = view.units[task]
  // What the task's message answers stays with it; else what stands before the task folds too (SEEDS 5).
  const from = head && hasResults(head) ? task : 0
  const folded = view.units.filter(
    (unit, at) => at >= from && at < cut && at !== task && unit.seq >= 0,
  )
  const { earlier } = context
  // Where the request must fit, an earlier checkpoint may be made smaller alone.
  if (folded.length === 0 && !(context.mustFit && earlier)) return undefined
  const found = {
    headSeq: headSeqOf(head, context),
    foldedSeqs: folded.map((unit) => unit.seq),
    earlierSeqs: earlier ? earlier.units.map((unit) => unit.seq) : [],
  }
  const quoted = goneBy(found, context)
  const media = newestMedia(quoted)
  const gone = sum(folded, context.countUnit) + (earlier ? context.countText(earlier.text) : 0)
  // Media that an earlier fold moved is in none of the units that leave now.
  const leaving = new Set(found.foldedSeqs)
  const staying = media.filter((part) => leaving.has(part.seq))
  const foldedTokens = gone - sum(staying, context.countPart)
  const left =
    context.budget.targetTokens -
    sum(media, context.countPart) -
    keptTokens(view, found.foldedSeqs, context) -
    quoteTokens(view, quoted, context)
  const capTokens = Math.min(summaryCap(left, context), Math.floor(foldedTokens / 2))
  if (capTokens + context.countText(checkpointText('')) >= foldedTokens) return undefined
  return { plan: { ...found, capTokens, foldedTokens }, leftTokens: left }
}

/** A note that a repair put there has no address to insert into; the checkpoint stands in front of all then. */
function headSeqOf(head: Unit | undefined, { earlier }: StrategyContext): number | undefined {
  if (!head || head.seq < 0) return undefined
  // In front of what a late task's message answers the earlier checkpoint stood; the request starts with it.
  const standsInFront = earlier !== undefined && 'after' in earlier.place
  return standsInFront && hasResults(head) ? undefined : head.seq
}

/**
 * What the summary may take of what is left of the target. Where the newest step alone fills the target the summary is
 * not starved for it: it has its planned size, as far as that stays under the trigger (SEEDS K2: the newest step stays,
 * whatever it takes). Where the request must fit, the answer may not run over what is left by the factor that checks
 * allow (QUALITY 5.4).
 */
function summaryCap(left: number, context: StrategyContext): number {
  const { targetTokens, triggerTokens } = context.budget
  const mark = Math.max(targetTokens, triggerTokens)
  const upToMark = Math.floor((left + mark - targetTokens) / OVERRUN)
  const planned = Math.min(plannedSummaryTokens(targetTokens), upToMark)
  const wanted = Math.max(planned, Math.min(MAX_SUMMARY_TOKENS, Math.floor(left / OVERRUN)))
  const least = context.mustFit ? Math.floor(LEAST_SUMMARY_TOKENS / OVERRUN) : MIN_SUMMARY_TOKENS
  return Math.max(least, wanted)
}

function isWorthIt(found: FoldPlan, context: StrategyContext): boolean {
  const frees = found.foldedTokens - found.capTokens
  return found.foldedSeqs.length >= MIN_FOLDED_MESSAGES && frees >= context.budget.minimumGainTokens
}

/**
 * The legal cuts at or after the target, the earliest first: the target is the start of the newest steps that fit
 * beside task, summary and quotes. Never behind the newest step, nor behind the first user message that no
 * assistant message follows. Where none lies so, the last legal one before the target.
 */
function cutPositions(view: View, task: number, context: StrategyContext): readonly number[] {
  const steps = stepsOf(view)
  const newest = steps[steps.length - 1]
  if (!newest) return []
  const { legalCuts } = context
  const last = Math.min(newest.from, firstUnfollowedUser(view))
  const from = Math.max(targetPosition(view, task, steps, context), task + 1)
  const cuts: number[] = []
  for (let position = from; position <= last && cuts.length < MAX_CUTS; position++) {
    if (legalCuts[position]) cuts.push(position)
  }
  if (legalCuts[last] && !cuts.includes(last) && last >= from) cuts.push(last)
  for (let position = Math.min(from, last); cuts.length === 0 && position > 0; position--) {
    if (legalCuts[position]) cuts.push(position)
  }
  // Nothing more can leave then; an earlier checkpoint may still have to.
  return cuts.length === 0 && context.earlier ? [0] : cuts
}

function targetPosition(
  view: View,
  task: number,
  steps: readonly StepSpan[],
  context: StrategyContext,
): number {
  const { targetTokens } = context.budget
  const head = view.units[task]
  const room =
    targetTokens - plannedSummaryTokens(targetTokens) - (head ? context.countUnit(head) : 0)
  let from = view.units.length
  let suffix = 0
  for (const step of [...steps].reverse()) {
    suffix += sum(view.units.slice(step.from, step.to), context.countUnit)
    if (from < view.units.length && suffix > room) break
    from = step.from
  }
  return from
}

function firstUnfollowedUser(view: View): number {
  const lastAssistant = view.units.findLastIndex((unit) => unit.role === 'assistant')
  const position = view.units.findIndex(
    (unit, index) => index > lastAssistant && isUserMessage(unit),
  )
  return position === -1 ? view.units.length : position
}

/**
 * Gives back the edits of the fold: the units leave, the checkpoint joins the head message. What it quotes is read
 * from all that left, earlier folds included.
 */
function fold(view: View, found: FoldPlan, body: string, context: StrategyContext): FoldEdits {
  const leaving = new Set(found.foldedSeqs)
  const folded = view.units.filter((unit) => leaving.has(unit.seq))
  const gone = goneBy(found, context)
  const requests = newestRequests(view, gone, context)
  const text = [
    checkpointText(body, [...refusalQuotes(gone, context), ...mediaNotes(gone)]),
    ...requestSection(requests),
  ].join('\n\n')
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
  return {
    edits: [...removals, insert, ...keptMedia(gone)],
    shortened: requests.flatMap(({ shortened }) => shortened ?? []),
  }
}

/** Media of the newest requests stays, attached to the head message. */
function keptMedia(gone: Gone): readonly Edit[] {
  const { headSeq } = gone.plan
  if (headSeq === undefined) return []
  return newestMedia(gone).map((part) => ({
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
