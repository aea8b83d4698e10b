import type { CompactionSetup } from '../core/compaction-state.ts'
import {
  type CompactionState,
  conversationTokens,
  standingView,
  startFloorTokens,
} from '../core/compaction-state.ts'
import { CHECKPOINT_START } from '../core/marker.ts'
import { textOf, type View } from '../core/model.ts'
import type { CompactionReport, Outcome, SummaryReport } from '../core/report.ts'
import { unchangedUnits } from '../core/unchanged.ts'
import type { Job } from './job.ts'

/** What a report says beside the numbers that follow from the job. */
export interface ReportInput extends Partial<Omit<CompactionState, 'repaired'>> {
  readonly outcome: Outcome
  readonly reason: string | undefined
  readonly repaired: readonly string[]
}

/** Gives back the report of a job that ended with a view. */
export function makeReport(
  job: Job,
  view: View,
  now: number,
  input: ReportInput,
): CompactionReport {
  const { setup, counter } = job
  const { budget } = setup
  const overhead = budget.overheadTokens
  const start = standingView(setup)
  return {
    trigger: job.trigger,
    outcome: input.outcome,
    reason: input.reason,
    steps: input.steps ?? [],
    tokensBefore: conversationTokens(setup, start) + overhead,
    tokensAfter: conversationTokens(setup, view) + overhead,
    overheadTokens: overhead,
    floorTokens: startFloorTokens(setup),
    limitTokens: budget.ceilingTokens,
    keptPrefixTokens: keptPrefixTokens(setup, start, view),
    messagesBefore: job.systemMessages + messagesOf(start),
    messagesAfter: job.systemMessages + messagesOf(view),
    summary: input.outcome === 'compacted' ? summaryReport(setup, view, input) : undefined,
    summarizerCalls: input.summarizerCalls ?? 0,
    shortened: input.shortened ?? [],
    repaired: input.repaired,
    counting: counter.counting,
    milliseconds: Math.round((now - job.startedAt) * 10) / 10,
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
