import { indexOfKey } from './ascending.ts'
import type { Unit } from './model.ts'

/**
 * Gives back the position of a unit among the originals of its history; -1 where it is not one of them. Their `seq`
 * ascend, and those of neighbours need not follow one another: a path through a tree of messages leaves out other
 * branches. Logarithmic.
 */
export function positionOf(originals: readonly Unit[], seq: number): number {
  if (originals[seq]?.seq === seq) return seq
  return indexOfKey(originals, seq, (unit) => unit.seq)
}

/** Gives back the original unit with this `seq`, or `undefined`. */
export function originalOf(originals: readonly Unit[], seq: number): Unit | undefined {
  return originals[positionOf(originals, seq)]
}
