import { adapterFor } from '../adapters/index.ts'
import { repairOnly, startCompaction, stepCompaction } from '../core/compaction.ts'
import {
  type CompactionSetup,
  type CompactionState,
  type CompactionStep,
  conversationTokens,
  standingView,
  startFloorTokens,
  viewOf,
} from '../core/compaction-state.ts'
import { applyEdits } from '../core/edit.ts'
import { TampError } from '../core/errors.ts'
import { CHECKPOINT_START } from '../core/marker.ts'
import { textOf, type View } from '../core/model.ts'
import type { CompactionReport, Outcome, SummaryReport } from '../core/report.ts'
import { unchangedUnits } from '../core/unchanged.ts'
import type { FitAnswer, FitJob } from './engine.ts'
import { oneShotSetup, type RequestCounter, requestCounter } from './setup.ts'

/** A job between its steps: what a restarted worker would have to read and count again. */
export interface OpenJob {
  readonly setup: CompactionSetup
  readonly counter: RequestCounter
  /** System messages that stand before the conversation. */
  readonly systemMessages: number
  readonly startedAt: number
}

/** Reads a job's request and counts it. Throws `invalid-conversation`, and `cannot-fit` for the overhead alone. */
export function openJob(job: FitJob, now: number): OpenJob {
  const request = job.request ?? {}
  const read = adapterFor(request, job.format).read(request)
  const counter = requestCounter(read.head)
  return {
    setup: oneShotSetup(read, counter, job.limitTokens, job.options),
    counter,
    systemMessages: read.head.systemMessages,
    startedAt: now,
  }
}

/** Gives back the first state, or the answer where nothing is due. */
export function beginJob(open: OpenJob, now: number): FitAnswer | CompactionState {
  const { setup } = open
  const { budget } = setup
  if (budget.overheadTokens >= budget.ceilingTokens) throw overheadTooBig(setup)
  const { edits, mended } = repairOnly(setup.base, setup.standing, setup.invariants)
  const view = applyEdits(setup.base, edits)
  if (conversationTokens(setup, view) > budget.allowanceTokens) return startCompaction(setup)
  const report = makeReport(open, view, now, {
    outcome: 'unchanged',
    reason: undefined,
    repaired: mended,
  })
  return { type: 'done', edits, report }
}

function overheadTooBig({ budget }: CompactionSetup): TampError {
  const { overheadTokens, ceilingTokens, reserveTokens } = budget
  const message = `system text and tools take ${overheadTokens} tokens; the limit is ${ceilingTokens}`
  return new TampError('cannot-fit', message, {
    cause: 'overhead',
    overheadTokens,
    limitTokens: ceilingTokens,
    reserveTokens,
    neededTokens: overheadTokens,
  })
}

/** Takes one step of a job. Gives back the answer, or the state to go on from. */
export function stepJob(
  open: OpenJob,
  state: CompactionState,
  reply: FitJob['resume'],
  now: number,
): FitAnswer | CompactionState {
  const step = stepCompaction(open.setup, state, reply?.reply)
  return step.type === 'next' ? step.state : answerOf(open, step, now)
}

function answerOf(
  open: OpenJob,
  step: Exclude<CompactionStep, { type: 'next' }>,
  now: number,
): FitAnswer {
  switch (step.type) {
    case 'ask':
      return { type: 'ask', ask: step.ask, state: step.state }
    case 'refused': {
      // Nothing is compacted then, but what the provider would refuse is still mended.
      const { base, standing, invariants } = open.setup
      const { edits, mended } = repairOnly(base, standing, invariants)
      const { outcome, reason, state } = step
      const view = applyEdits(base, edits)
      const input = { outcome, reason, repaired: mended, summarizerCalls: state.summarizerCalls }
      return { type: 'done', edits, report: makeReport(open, view, now, input) }
    }
    case 'done': {
      const view = viewOf(open.setup, step.state)
      const { failure } = step.state
      const reason = failure && `the model's summary failed: ${failure.reason}`
      const report = makeReport(open, view, now, { ...step.state, outcome: 'compacted', reason })
      return { type: 'done', edits: step.state.edits, report }
    }
    default:
      return step satisfies never
  }
}

interface ReportInput extends Partial<Omit<CompactionState, 'repaired'>> {
  readonly outcome: Outcome
  readonly reason: string | undefined
  readonly repaired: readonly string[]
}

function makeReport(open: OpenJob, view: View, now: number, input: ReportInput): CompactionReport {
  const { setup, counter } = open
  const { budget } = setup
  const overhead = budget.overheadTokens
  const start = standingView(setup)
  return {
    trigger: 'threshold',
    outcome: input.outcome,
    reason: input.reason,
    steps: input.steps ?? [],
    tokensBefore: conversationTokens(setup, start) + overhead,
    tokensAfter: conversationTokens(setup, view) + overhead,
    overheadTokens: overhead,
    floorTokens: startFloorTokens(setup),
    limitTokens: budget.ceilingTokens,
    keptPrefixTokens: keptPrefixTokens(setup, start, view),
    messagesBefore: open.systemMessages + messagesOf(start),
    messagesAfter: open.systemMessages + messagesOf(view),
    summary: input.outcome === 'compacted' ? summaryReport(setup, view, input) : undefined,
    summarizerCalls: input.summarizerCalls ?? 0,
    shortened: input.shortened ?? [],
    repaired: input.repaired,
    counting: counter.counting(),
    milliseconds: Math.round((now - open.startedAt) * 10) / 10,
  }
}

function messagesOf(view: View): number {
  return view.units.filter((unit) => !unit.joined).length
}

function keptPrefixTokens(setup: CompactionSetup, start: View, view: View): number {
  const kept = view.units.slice(0, unchangedUnits(start, view))
  return kept.reduce((sum, unit) => sum + setup.countUnit(unit), setup.budget.overheadTokens)
}

function summaryReport(
  setup: CompactionSetup,
  view: View,
  input: ReportInput,
): SummaryReport | undefined {
  if (!input.summary) return undefined
  const parts = view.units.flatMap((unit) => unit.parts)
  const part = parts.find(
    (candidate) => candidate.seq < 0 && textOf(candidate).startsWith(CHECKPOINT_START),
  )
  const text = part ? textOf(part) : ''
  return {
    source: input.summary.source,
    text,
    tokens: setup.countText(text),
    replacedTokens: input.summary.plan.foldedTokens,
    checks: [...(input.failure?.checks ?? []), ...input.summary.checks],
  }
}
