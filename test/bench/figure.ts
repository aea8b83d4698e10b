/** One measured number. Names are stable, so that runs can be compared. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: 'ms' | 'tokens' | 'tokens/s' | 'ratio' | 'MB' | 'answers'
}

/** How large the conversations are, in tokens, and how often each is fitted. */
export const sizes = [
  { label: '10k', tokens: 10_000, rounds: 5 },
  { label: '100k', tokens: 100_000, rounds: 3 },
  { label: '1M', tokens: 1_000_000, rounds: 1 },
] as const

/** Each conversation is fitted to half of itself: passes and a summary are needed. */
export const fittedShare = 0.5

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Runs the work and gives back its result and how long it took. */
export async function timed<T>(work: () => Promise<T> | T): Promise<{ result: T; ms: number }> {
  const start = performance.now()
  const result = await work()
  return { result, ms: performance.now() - start }
}
