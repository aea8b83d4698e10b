import { type Part, textOf, type Unit, type View } from './model.ts'

/**
 * Gives back how many units at the start of a view would be sent just as in another view of the same originals: what
 * a prompt cache keeps. Edited units are made anew with each view, so they are compared by what they say.
 */
export function unchangedUnits(before: View, after: View): number {
  const changed = after.units.findIndex((unit, position) => !isSame(before.units[position], unit))
  return changed === -1 ? after.units.length : changed
}

function isSame(before: Unit | undefined, after: Unit): boolean {
  if (before === after) return true
  if (!before || before.seq !== after.seq || before.role !== after.role) return false
  if (before.joined !== after.joined || before.parts.length !== after.parts.length) return false
  return after.parts.every((part, index) => isSamePart(before.parts[index], part))
}

function isSamePart(before: Part | undefined, after: Part): boolean {
  if (before === after) return true
  if (!before || before.type !== after.type || before.cacheMark !== after.cacheMark) return false
  const isOfOnePlace = before.seq === after.seq && before.index === after.index
  return isOfOnePlace && callIdOf(before) === callIdOf(after) && textOf(before) === textOf(after)
}

function callIdOf(part: Part): string | undefined {
  return 'callId' in part ? part.callId : undefined
}
