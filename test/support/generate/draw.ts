/**
 * Choices drawn from one number, so that fast-check generates and shrinks a conversation as a short list of
 * numbers: fast, and with 0 as the plainest choice everywhere.
 */
export interface Draw {
  /** A whole number from 0 up to, not including, `end`. */
  readonly below: (end: number) => number
  readonly pick: <T>(choices: readonly T[]) => T
  /** True in about `percent` of a hundred draws. */
  readonly chance: (percent: number) => boolean
}

/** Starts a row of draws (mulberry32). From seed 0 every draw is the first choice, and `chance` is false. */
export function drawFrom(seed: number): Draw {
  let state = seed | 0
  const next = (): number => {
    if (seed === 0) return 0
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const below = (end: number): number => Math.floor(next() * end)
  return {
    below,
    pick: (choices) => {
      const choice = choices[below(choices.length)]
      if (choice === undefined) throw new RangeError('there is nothing to pick from')
      return choice
    },
    chance: (percent) => seed !== 0 && next() * 100 < percent,
  }
}
