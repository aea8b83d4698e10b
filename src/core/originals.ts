import type { Unit } from './model.ts'

/** Positions by `seq`, made once for each history. */
const positions = new WeakMap<readonly Unit[], ReadonlyMap<number, number>>()

/**
 * Gives back the position of a unit among the originals of its history; -1 where it is not one of them. The `seq`
 * of neighbours need not follow one another: a path through a tree of messages leaves out other branches.
 */
export function positionOf(originals: readonly Unit[], seq: number): number {
  if (originals[seq]?.seq === seq) return seq
  let known = positions.get(originals)
  if (!known) {
    known = new Map(originals.map((unit, position) => [unit.seq, position]))
    positions.set(originals, known)
  }
  return known.get(seq) ?? -1
}

/** Gives back the original unit with this `seq`, or `undefined`. */
export function originalOf(originals: readonly Unit[], seq: number): Unit | undefined {
  return originals[positionOf(originals, seq)]
}
