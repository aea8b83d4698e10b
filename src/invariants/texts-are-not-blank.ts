import type { Edit } from '../core/edit.ts'
import { type Placed, placedWhere } from '../core/exchange.ts'
import type { Invariant } from '../core/invariant.ts'
import type { Part, Unit, View } from '../core/model.ts'

/** Stands where the first or newest message of a person was blank, so that the request still starts or ends with it. */
export const EMPTY_MESSAGE = '[empty message]'

/**
 * No text block is empty or white space alone.
 *
 * Anthropic, 400 (anthropics/claude-code#59812): "messages: text content blocks must be non-empty", and
 * (home-assistant/core#175637, aaif-goose/goose#7343): "messages: text content blocks must contain
 * non-whitespace text".
 *
 * Repair: the block goes; where it is all that the first or newest message has, it becomes a note.
 */
export const textsAreNotBlank: Invariant = {
  name: 'texts-are-not-blank',
  refusedBy: ['anthropic-messages'],
  check: (view) =>
    blankTexts(view).map(({ unit, part }) => ({
      rule: textsAreNotBlank.name,
      key: `${part.seq} ${part.index}`,
      message: `message ${unit.seq} has a blank text`,
    })),
  repair: (view) => view.units.flatMap((unit, position) => mendUnit(view, unit, position)),
}

function blankTexts(view: View): readonly Placed[] {
  return placedWhere(view, (part) => isBlank(part) && part.seq >= 0)
}

function mendUnit(view: View, unit: Unit, position: number): readonly Edit[] {
  const blank = unit.parts.filter((part) => isBlank(part) && part.seq >= 0)
  const isAll = unit.parts.every(isBlank)
  const noted = isAll && isEdgeOfPerson(view, position) ? unit.parts[0] : undefined
  return blank.map((part) => mend(part, part === noted))
}

function isBlank(part: Part): boolean {
  return part.type === 'text' && part.text.trim() === ''
}

function mend(part: Part, asNote: boolean): Edit {
  const base = {
    seq: part.seq,
    part: part.index,
    pass: textsAreNotBlank.name,
    reason: 'blank text',
    tokensBefore: 0,
    tokensAfter: 0,
  }
  return asNote ? { ...base, type: 'rewrite', text: EMPTY_MESSAGE } : { ...base, type: 'remove' }
}

/** True for the first and the newest message where a person's side speaks it: the request needs it to stay. */
export function isEdgeOfPerson(view: View, position: number): boolean {
  const isEdge = position === 0 || position === view.units.length - 1
  return isEdge && view.units[position]?.role !== 'assistant'
}
