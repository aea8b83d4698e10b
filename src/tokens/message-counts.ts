import type { MessageCounts } from '../core/log/entry.ts'
import type { Part, Unit } from '../core/model.ts'
import type { Encoding } from './counter.ts'
import { isBesideText, type PartCounter } from './parts.ts'

/** Goes up with each change of what a part or a name counts: what was counted by other rules is counted anew. */
export const COUNTING_RULES = 1

/** A unit as it was stored, with what was counted then. */
export interface CountedUnit {
  readonly unit: Unit
  readonly counts: MessageCounts | undefined
}

/** Gives back what is to be stored of a unit's counts. */
export function messageCounts(unit: Unit, encoding: Encoding, counter: PartCounter): MessageCounts {
  const parts = unit.parts.map(counter.countPart)
  return { encoding, rules: COUNTING_RULES, name: counter.countName(unit.name), parts }
}

/** Gives back the stored count of a part; `undefined` where it is not the part that was counted, or not by these rules. */
export function storedPartTokens(
  { unit, counts }: CountedUnit,
  part: Part,
  encoding: Encoding,
): number | undefined {
  const own = unit.parts[part.index]
  if (!own || !fits(counts, encoding) || !Array.isArray(counts.parts)) return undefined
  if (counts.parts.length !== unit.parts.length) return undefined
  return own === part || countsAlike(own, part) ? sound(counts.parts[part.index]) : undefined
}

/** Gives back the stored count of a unit's name. */
export function storedNameTokens(
  { unit: own, counts }: CountedUnit,
  unit: Unit,
  encoding: Encoding,
): number | undefined {
  return own.name === unit.name && fits(counts, encoding) ? sound(counts.name) : undefined
}

function fits(counts: MessageCounts | undefined, encoding: Encoding): counts is MessageCounts {
  return counts?.encoding === encoding && counts.rules === COUNTING_RULES
}

/** Rows are data like any other: what cannot be a count is counted anew. */
function sound(tokens: number | undefined): number | undefined {
  return Number.isSafeInteger(tokens) && Number(tokens) >= 0 ? tokens : undefined
}

/** True where two parts are counted from the same. */
function countsAlike(one: Part, other: Part): boolean {
  if (isBesideText(one) !== isBesideText(other)) return false
  switch (one.type) {
    case 'text':
    case 'reasoning':
    case 'tool-result':
    case 'opaque':
      return other.type === one.type && other.text === one.text
    case 'tool-call':
      return other.type === one.type && other.tool === one.tool && other.input === one.input
    case 'media':
      return (
        other.type === one.type && other.mediaType === one.mediaType && other.bytes === one.bytes
      )
    default:
      return one satisfies never
  }
}
