import type { CompactionRecord, CompactionReport, Trigger } from 'tamp'
import type { PathMessage } from '../chat/path.ts'
import type { SentRequest } from '../chat/sent.ts'
import { formatCount, formatMilliseconds, formatNumber } from './numbers.ts'
import { stepWords } from './steps.ts'

/** What the divider says about a compaction. */
export interface CompactionView {
  readonly key: string
  /** Index of the message before which the divider stands; the length of the path for its end. */
  readonly before: number
  readonly tokens: string
  readonly messages: string
  readonly source: string
  readonly time: string
  readonly cause: string | undefined
  readonly summary: string | undefined
  /** One line each: what the passes freed, what was checked, shortened or mended. */
  readonly notes: readonly string[]
  /** What can be done about it; `undefined` where nothing can. */
  readonly action: 'undo' | 'redo' | undefined
}

/** What decides which compactions are shown. */
export interface CompactionSource {
  readonly path: readonly PathMessage[]
  /** Oldest first. */
  readonly compactions: readonly CompactionRecord[]
  readonly canRedo: boolean
}

/** Gives back the dividers of a path: the compaction that holds, and the one that was undone last. */
export function compactionViews(source: CompactionSource): readonly CompactionView[] {
  const { standing, redoable } = currentCompactions(source)
  const views = []
  if (standing !== undefined) {
    const action = standing.active ? ('undo' as const) : undefined
    views.push(recordView(standing, source, action))
  }
  if (redoable !== undefined) views.push(recordView(redoable, source, 'redo'))
  return views
}

/** A compaction holds on every path that goes through the deepest message that it covers. */
function currentCompactions({ path, compactions, canRedo }: CompactionSource) {
  const seqs = new Set(path.map(({ seq }) => seq))
  const here = compactions.filter(({ through }) => seqs.has(through))
  const standing = here.findLast(({ undone }) => !undone)
  const redoable = here.find(({ undone, epoch }) => undone && epoch > (standing?.epoch ?? 0))
  return { standing, redoable: canRedo ? redoable : undefined }
}

function recordView(
  { epoch, trigger, report, through, foldedThrough = through }: CompactionRecord,
  { path }: CompactionSource,
  action: CompactionView['action'],
): CompactionView {
  const before = path.findIndex(({ seq }) => seq === foldedThrough) + 1
  const key = `compaction-${epoch}`
  return { ...reportView(report), key, before, cause: causeWords(trigger), action }
}

/** Gives back the divider for a request that was fitted once, or `undefined` where nothing was compacted. */
export function fittedView(fitted: SentRequest | undefined): CompactionView | undefined {
  if (fitted?.report.outcome !== 'compacted') return undefined
  const before = fitted.tailStart ?? newestUserIndex(fitted)
  const rest = { key: 'compaction-fitted', before, cause: undefined, action: undefined }
  return { ...reportView(fitted.report), ...rest }
}

function reportView(report: CompactionReport) {
  return {
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
export function compactionSentence({ report }: SentRequest): string | undefined {
  if (report.outcome !== 'compacted') return undefined
  const { tokens, messages } = reportView(report)
  return `Compacted: ${tokens.replace('→', 'to')}, ${messages.replace('→', 'to')}.`
}

/** Gives back why nothing was compacted although something was wanted, or `undefined`. */
export function unchangedReason(sent: SentRequest | undefined): string | undefined {
  const report = sent?.report
  if (report === undefined || report.outcome === 'compacted') return undefined
  return report.tokensBefore > report.limitTokens || report.outcome === 'failed'
    ? (report.reason ?? report.outcome)
    : undefined
}

function causeWords(trigger: Trigger): string {
  switch (trigger) {
    case 'manual':
      return 'by hand'
    case 'overflow':
      return 'after a refusal'
    case 'threshold':
      return 'as the window filled'
    case 'background':
      return 'in the background'
    default:
      return trigger satisfies never
  }
}

function sourceWords({ summary }: CompactionReport): string {
  if (summary === undefined) return 'no summary needed'
  return summary.source === 'extractive' ? 'summary without a model' : 'summary by a model'
}

function stepNotes({ steps }: CompactionReport): readonly string[] {
  return steps.filter((step) => step.changedParts > 0).map(stepWords)
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
