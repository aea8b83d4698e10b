import type { Tamp } from '../../src/index.ts'
import { type BenchRequest, benchRequest, CHARACTERS_PER_TOKEN } from './conversation.ts'
import { type Figure, fittedShare, median, sizes, timed } from './figure.ts'
import type { Watch } from './watch.ts'

/** Fits conversations of every size; with a watch, also says what the calling thread suffered. */
export async function fitFigures(tamp: Tamp, place: string, watch?: Watch): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const { label, tokens, rounds } of sizes) {
    const runs: Run[] = []
    for (let round = 0; round < rounds; round += 1) {
      // Fresh input each time: a counter that remembers texts must not be praised for it.
      runs.push(await fitOnce(tamp, benchRequest(tokens, tokens + round), watch))
    }
    figures.push(...figuresOf(`${place}, fit ${label}`, runs, watch !== undefined))
  }
  return figures
}

interface Run {
  readonly ms: number
  readonly tokensBefore: number
  readonly longestTaskMs: number
}

async function fitOnce(tamp: Tamp, request: BenchRequest, watch?: Watch): Promise<Run> {
  const limitTokens = Math.round(fittedShare * sizeOf(request))
  const watching = watch?.()
  const { result, ms } = await timed(() => tamp.fit(request, { limitTokens }))
  const longestTaskMs = watching?.stop() ?? 0
  if (result.report.outcome !== 'compacted') throw new Error(`outcome ${result.report.outcome}`)
  return { ms, tokensBefore: result.report.tokensBefore, longestTaskMs }
}

/** About the request's tokens, without counting them: counting is what is measured. */
function sizeOf(request: BenchRequest): number {
  return JSON.stringify(request).length / CHARACTERS_PER_TOKEN
}

function figuresOf(name: string, runs: readonly Run[], watched: boolean): Figure[] {
  const ms = median(runs.map((run) => run.ms))
  const tokens = median(runs.map((run) => run.tokensBefore))
  const longest = Math.max(...runs.map((run) => run.longestTaskMs))
  return [
    { name: `${name}: size`, value: tokens, unit: 'tokens' },
    { name: `${name}: time`, value: ms, unit: 'ms' },
    { name: `${name}: speed`, value: (tokens / ms) * 1000, unit: 'tokens/s' },
    ...(watched
      ? [{ name: `${name}: longest page task`, value: longest, unit: 'ms' } as const]
      : []),
  ]
}
