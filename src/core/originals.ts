import type { Unit } from './model.ts'

/**
 * Gives back the position of a unit among the originals of its history; -1 where it is not one of them. Their `seq`
 * ascend, and those of neighbours need not follow one another: a path through a tree of messages leaves out other
 * branches. Logarithmic.
 */
export function positionOf(originals: readonly Unit[], seq: number): number {
  if (originals[seq]?.seq === seq) return seq
  let from = 0
  let to = originals.length - 1
  while (from <= to) {
    const middle = (from + to) >> 1
    const found = originals[middle]?.seq ?? -1
    if (found === seq) return middle
    if (found < seq) from = middle + 1
    else to = middle - 1
  }
  return -1
}

/** Gives back the original unit with this `seq`, or `undefined`. */
export function originalOf(originals: readonly Unit[], seq: number): Unit | undefined {
  return originals[positionOf(originals, seq)]
}
