/** What a request may use, in tokens. */
export interface Budget {
  /** The smaller of the app's own maximum and the model's window; for one-shot `fit` the limit as given. */
  readonly ceilingTokens: number
  /** Room for the answer; none for one-shot `fit`. */
  readonly reserveTokens: number
  /** System text and tool schemas. */
  readonly overheadTokens: number
  /** What the conversation may use: ceiling − reserve − overhead. */
  readonly allowanceTokens: number
  /** What a compaction aims at, of the conversation alone. */
  readonly targetTokens: number
  /** Soft pressure begins here, of the conversation alone. */
  readonly triggerTokens: number
  /** The tail that thin and the drop-stale passes leave alone. */
  readonly keepRecentTokens: number
  /** A compaction that frees less is not worth a rewrite: 10 % of the allowance. */
  readonly minimumGainTokens: number
}

/** What the app may set about a budget; the rest is derived. */
export interface BudgetInput {
  readonly ceilingTokens: number
  readonly overheadTokens: number
  readonly reserveTokens: number
  /** Fraction of the allowance at which a compaction is due; SEEDS Z6. */
  readonly trigger: number
  /** Fraction of the allowance that a compaction aims at; SEEDS K2. */
  readonly target: number
  readonly keepRecentTokens: number | undefined
}

/** The largest share of the window that the reserve may take (DESIGN 3). */
const MAX_RESERVE_SHARE = 0.5
/** The tail: at most so many tokens, and at most so large a share of the allowance (DESIGN 4). */
const KEEP_RECENT_TOKENS = 20_000
const KEEP_RECENT_SHARE = 0.25
/** DESIGN 4, `minimumGain`. */
const MINIMUM_GAIN_SHARE = 0.1

/** Gives back the budget. The allowance is negative where overhead and reserve alone exceed the ceiling. */
export function makeBudget(input: BudgetInput): Budget {
  const reserveTokens = Math.min(
    input.reserveTokens,
    Math.floor(input.ceilingTokens * MAX_RESERVE_SHARE),
  )
  const allowanceTokens = input.ceilingTokens - reserveTokens - input.overheadTokens
  const share = Math.max(0, Math.floor(allowanceTokens * KEEP_RECENT_SHARE))
  return {
    ceilingTokens: input.ceilingTokens,
    reserveTokens,
    overheadTokens: input.overheadTokens,
    allowanceTokens,
    targetTokens: Math.floor(allowanceTokens * input.target),
    triggerTokens: Math.floor(allowanceTokens * input.trigger),
    keepRecentTokens: input.keepRecentTokens ?? Math.min(KEEP_RECENT_TOKENS, share),
    minimumGainTokens: Math.floor(allowanceTokens * MINIMUM_GAIN_SHARE),
  }
}

/** The budget of one-shot `fit`: the limit is mark and target in one, nothing is reserved (SEEDS, words). */
export function oneShotBudget(
  limitTokens: number,
  overheadTokens: number,
  keepRecentTokens: number | undefined,
): Budget {
  const input = { ceilingTokens: limitTokens, overheadTokens, keepRecentTokens }
  return makeBudget({ ...input, reserveTokens: 0, trigger: 1, target: 1 })
}

/** Why a compaction runs: what decides the order of rungs and what is enough (SEEDS, words). */
export type Due = 'soft' | 'hard' | 'forced' | 'overflow' | 'one-shot'

/**
 * Gives back what a compaction of that kind aims at: the target; half of the conversation where it was asked for
 * and the conversation is under the target already (SEEDS Z7).
 */
export function targetFor(due: Due, budget: Budget, tokensBefore: number): number {
  const isUnder = due === 'forced' && tokensBefore <= budget.targetTokens
  return isUnder ? Math.floor(tokensBefore / 2) : budget.targetTokens
}

/** Gives back whether what is left of the conversation is enough to stop. */
export function isEnough(
  due: Due,
  budget: Budget,
  tokensBefore: number,
  tokensNow: number,
): boolean {
  switch (due) {
    case 'soft':
      return (
        tokensNow < budget.triggerTokens && tokensBefore - tokensNow >= budget.minimumGainTokens
      )
    case 'hard':
    case 'one-shot':
      return tokensNow <= budget.allowanceTokens
    case 'forced':
    case 'overflow':
      return tokensNow <= targetFor(due, budget, tokensBefore)
    default:
      return due satisfies never
  }
}
