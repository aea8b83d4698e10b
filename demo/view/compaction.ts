import type { CompactionReport } from 'tamp'
import type { SentRequest } from '../chat/sent.ts'
import { formatCount, formatMilliseconds, formatNumber } from './numbers.ts'

/** What the divider says about a compaction. */
export interface CompactionView {
  /** Index of the message before which the divider stands. */
  readonly before: number
  readonly tokens: string
  readonly messages: string
  readonly source: string
  readonly time: string
  readonly summary: string | undefined
  /** One line each: what the passes freed, what was checked, shortened or mended. */
  readonly notes: readonly string[]
}

/** Gives back the divider for the last request, or `undefined` where nothing was compacted. */
export function compactionView(sent: SentRequest | undefined): CompactionView | undefined {
  const report = sent?.report
  if (sent === undefined || report?.outcome !== 'compacted') return undefined
  return {
    before: sent.tailStart ?? newestUserIndex(sent),
    tokens: `${formatNumber(report.tokensBefore)} → ${formatNumber(report.tokensAfter)} tokens`,
    messages: `${formatNumber(report.messagesBefore)} → ${formatCount(report.messagesAfter, 'message')}`,
    source: sourceWords(report),
    time: formatMilliseconds(report.milliseconds),
    summary: report.summary?.text,
    notes: [
      ...stepNotes(report),
      ...checkNotes(report),
      ...shortenedNotes(report),
      ...repairNotes(report),
    ],
  }
}

/** One sentence for people who listen: what happened to the last request. */
export function compactionSentence(view: CompactionView): string {
  return `Compacted: ${view.tokens.replace('→', 'to')}, ${view.messages.replace('→', 'to')}.`
}

/** Gives back why nothing was compacted although something was wanted, or `undefined`. */
export function unchangedReason(sent: SentRequest | undefined): string | undefined {
  const report = sent?.report
  if (report === undefined || report.outcome === 'compacted') return undefined
  return report.tokensBefore > report.limitTokens || report.outcome === 'failed'
    ? (report.reason ?? report.outcome)
    : undefined
}

function sourceWords({ summary }: CompactionReport): string {
  if (summary === undefined) return 'no summary needed'
  return summary.source === 'extractive' ? 'extractive summary' : 'summary by a model'
}

function stepNotes({ steps }: CompactionReport): readonly string[] {
  return steps
    .filter((step) => step.changedParts > 0)
    .map((step) => {
      const freed = `${formatNumber(step.freedTokens)} tokens freed`
      return `${step.name}: ${formatCount(step.changedParts, 'part')}, ${freed}`
    })
}

function checkNotes({ summary }: CompactionReport): readonly string[] {
  const notable = summary?.checks.filter((check) => check.verdict !== 'passed') ?? []
  return notable.map(({ name, verdict, detail }) => {
    return `Check of the summary, ${name}: ${verdict}${detail === undefined ? '' : ` (${detail})`}`
  })
}

function shortenedNotes({ shortened }: CompactionReport): readonly string[] {
  return shortened.map(({ seq, what, tokensBefore, tokensAfter }) => {
    const tokens = `${formatNumber(tokensBefore)} → ${formatNumber(tokensAfter)} tokens`
    return `Shortened as a last resort: ${what} of message ${seq + 1}, ${tokens}`
  })
}

function repairNotes({ repaired }: CompactionReport): readonly string[] {
  return repaired.map((rule) => `Repaired on the way out: ${rule}`)
}

/** Passes alone leave no seam in the history; the divider then stands where the request was made. */
function newestUserIndex({ full, historyLength }: SentRequest): number {
  const leading = full.messages.length - historyLength
  const newest = full.messages.findLastIndex((message) => message.role === 'user')
  return Math.max(0, newest - leading)
}
