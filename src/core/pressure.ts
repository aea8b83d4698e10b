import type { Budget } from './budget.ts'

/** How near a conversation is to its limit: nothing is due, it may be compacted, it must be. */
export type Pressure = 'none' | 'soft' | 'hard'

/** The mark after a compaction that ended above the trigger, as a fraction of the allowance (SEEDS Z6). */
const RAISED_TRIGGER = 0.95

/** What the pressure is read from; tokens are those of the conversation alone. */
export interface PressureInput {
  readonly tokens: number
  readonly budget: Budget
  /** True from a compaction that ended at or above the trigger until the size was under it once. */
  readonly raised: boolean
}

/** Gives back the pressure: `soft` from the mark on, `hard` above the allowance (SEEDS Z6). */
export function pressureOf({ tokens, budget, raised }: PressureInput): Pressure {
  if (tokens > budget.allowanceTokens) return 'hard'
  return tokens >= markOf(budget, raised) ? 'soft' : 'none'
}

function markOf(budget: Budget, raised: boolean): number {
  const raisedTokens = Math.floor(budget.allowanceTokens * RAISED_TRIGGER)
  return raised ? Math.max(budget.triggerTokens, raisedTokens) : budget.triggerTokens
}

/** True for a compaction that leaves so much that the mark is raised: at or above the trigger (SEEDS Z6). */
export function endsRaised(tokensAfter: number, budget: Budget): boolean {
  return tokensAfter >= budget.triggerTokens
}

/** True for a size that lowers a raised mark again: under the trigger (SEEDS Z6). */
export function lowersMark(tokens: number, budget: Budget): boolean {
  return tokens < budget.triggerTokens
}

/** Gives back as what a compaction that somebody asked for runs: above the allowance as a hard one (SEEDS 5). */
export function forcedDue(tokens: number, budget: Budget): 'forced' | 'hard' {
  return tokens > budget.allowanceTokens ? 'hard' : 'forced'
}

/** What a compaction came to; tokens are those of the conversation alone. */
export interface Attempt {
  readonly tokensBefore: number
  readonly tokensAfter: number
}

/**
 * The circuit breaker (DESIGN 5.7). Gives back true where the last two compactions, the newest last, each freed less
 * than the minimum gain and the conversation has not grown by that much since the newest one.
 */
export function isBroken(lastTwo: readonly Attempt[], tokensNow: number, budget: Budget): boolean {
  const attempts = lastTwo.slice(-2)
  const last = attempts[1]
  if (!last) return false
  const freedLittle = attempts.every(
    ({ tokensBefore, tokensAfter }) => tokensBefore - tokensAfter < budget.minimumGainTokens,
  )
  return freedLittle && tokensNow < last.tokensAfter + budget.minimumGainTokens
}
