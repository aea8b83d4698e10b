import type { CompactionSetup, CompactionState } from '../core/compaction-state.ts'
import { CHECKPOINT_START } from '../core/marker.ts'
import { textOf, type View } from '../core/model.ts'
import type { CompactionReport, Outcome, SummaryReport } from '../core/report.ts'
import { standingFloorTokens, type Tally } from '../core/standpoint.ts'
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
  sent: Tally,
  now: number,
  input: ReportInput,
): CompactionReport {
  const { setup, standpoint, counter } = job
  const { budget } = setup
  const overhead = budget.overheadTokens
  const { start } = standpoint
  return {
    trigger: job.trigger,
    outcome: input.outcome,
    reason: input.reason,
    steps: input.steps ?? [],
    tokensBefore: start.tokens + overhead,
    tokensAfter: sent.tokens + overhead,
    overheadTokens: overhead,
    floorTokens: standingFloorTokens(setup, standpoint),
    limitTokens: budget.ceilingTokens,
    keptPrefixTokens: keptPrefixTokens(job, sent) + overhead,
    messagesBefore: job.systemMessages + start.messages,
    messagesAfter: job.systemMessages + sent.messages,
    summary: input.outcome === 'compacted' ? summaryReport(setup, sent.view, input) : undefined,
    summarizerCalls: input.summarizerCalls ?? 0,
    shortened: input.shortened ?? [],
    repaired: input.repaired,
    counting: counter.counting(),
    milliseconds: Math.round((now - job.startedAt) * 10) / 10,
  }
}

function keptPrefixTokens({ setup, standpoint }: Job, sent: Tally): number {
  if (sent === standpoint.sent) return standpoint.keptTokens
  const kept = sent.view.units.slice(0, unchangedUnits(standpoint.start.view, sent.view))
  return kept.reduce((sum, unit) => sum + setup.countUnit(unit), 0)
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
