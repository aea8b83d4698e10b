import type { Measurement } from 'tamp'
import { formatNumber } from './numbers.ts'

export const segmentNames = [
  'system',
  'tools',
  'task',
  'checkpoint',
  'turns',
  'media',
  'reserve',
  'free',
] as const

export type SegmentName = (typeof segmentNames)[number]

export interface Segment {
  readonly name: SegmentName
  readonly label: string
  readonly tokens: number
}

/** How near the limit is; each has its own words, so that colour is never alone. */
export type MeterLevel = 'roomy' | 'filling' | 'nearly full' | 'over the limit'

/** What the meter shows. The segments add up to the window, or to more where the window is exceeded. */
export interface MeterView {
  readonly usedTokens: number
  readonly windowTokens: number
  readonly limitTokens: number
  readonly percent: number
  readonly level: MeterLevel
  readonly segments: readonly Segment[]
  /** Where the level changes and where compaction begins, in percent of the window. */
  readonly ticksPercent: readonly number[]
  /** What each of these places means, in the same order. */
  readonly tickWords: readonly string[]
  /** `4,102 / 8,192`. */
  readonly text: string
  /** The whole state in one sentence, for `aria-valuetext`. */
  readonly sentence: string
  readonly counting: Measurement['counting']
}

const labels: Readonly<Record<SegmentName, string>> = {
  system: 'System text',
  tools: 'Tools',
  task: 'Task',
  checkpoint: 'Checkpoint',
  turns: 'Turns',
  media: 'Media',
  reserve: 'Kept for the answer',
  free: 'Free',
}

/** What each segment is, in a sentence for the person. */
export const segmentWords: Readonly<Record<SegmentName, string>> = {
  system: 'What the page tells the model in front of every conversation',
  tools: 'What the tools are that the model may call',
  task: 'The first message',
  checkpoint: 'The summary that stands for the oldest messages',
  turns: 'Everything since the checkpoint; without one, since the first message',
  media: 'Images and files',
  reserve: 'Room that the answer needs',
  free: 'Room for what comes next',
}

/** Shares of the limit at which the level changes: the thresholds of ECOSYSTEM 4.4. */
const filling = 0.65
const nearlyFull = 0.85

const noSegments = { system: 0, tools: 0, task: 0, checkpoint: 0, turns: 0, media: 0 }

/** Gives back the meter for a measurement; without one (no message yet) everything is free. */
export function meterView(
  measurement: Measurement | undefined,
  { windowTokens, reserveTokens }: { windowTokens: number; reserveTokens: number },
): MeterView {
  const usedTokens = measurement?.totalTokens ?? 0
  const limitTokens = windowTokens - reserveTokens
  const compactsAbove = compactionMark(limitTokens, measurement)
  const level = levelOf(usedTokens / limitTokens)
  const tokens: Readonly<Record<SegmentName, number>> = {
    ...noSegments,
    ...measurement?.segments,
    reserve: reserveTokens,
    free: Math.max(0, limitTokens - usedTokens),
  }
  const percent = Math.round((usedTokens / windowTokens) * 100)
  return {
    usedTokens,
    windowTokens,
    limitTokens,
    percent,
    level,
    segments: segmentNames.map((name) => ({ name, label: labels[name], tokens: tokens[name] })),
    ticksPercent: [filling * limitTokens, compactsAbove, limitTokens].map(
      (tokens) => (tokens * 100) / windowTokens,
    ),
    tickWords: [
      `${formatNumber(Math.ceil(filling * limitTokens))}: the window is filling`,
      `${formatNumber(compactsAbove)}: above this the next request is compacted`,
      `${formatNumber(limitTokens)}: the most that a request may hold`,
    ],
    text: `${formatNumber(usedTokens)} / ${formatNumber(windowTokens)}`,
    sentence:
      `${formatNumber(usedTokens)} of ${formatNumber(windowTokens)} tokens, ${percent} percent, ${level}; ` +
      `${formatNumber(reserveTokens)} kept for the answer; compaction above ${formatNumber(compactsAbove)}`,
    counting: measurement?.counting ?? 'exact',
  }
}

/** Tamp compacts at this share of what system text and tools leave (its `trigger`). */
function compactionMark(limitTokens: number, measurement: Measurement | undefined): number {
  const { system, tools } = measurement?.segments ?? noSegments
  const overhead = system + tools
  return Math.floor(overhead + nearlyFull * (limitTokens - overhead))
}

function levelOf(share: number): MeterLevel {
  if (share > 1) return 'over the limit'
  if (share >= nearlyFull) return 'nearly full'
  return share >= filling ? 'filling' : 'roomy'
}
