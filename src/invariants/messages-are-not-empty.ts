import { type Edit, saysSomething } from '../core/edit.ts'
import type { Invariant } from '../core/invariant.ts'
import type { Unit, View } from '../core/model.ts'
import { EMPTY_MESSAGE, isEdgeOfPerson } from './texts-are-not-blank.ts'

/**
 * A message has content. Reasoning alone is none: it answers nothing and cannot stand by itself.
 *
 * Anthropic, 400 (anthropics/claude-code#6774): "messages.0: all messages must have non-empty content except
 * for the optional final assistant message". OpenAI chat accepts an empty string; Mistral and Cohere refuse an
 * assistant message with neither content nor calls.
 *
 * Repair: the message goes; the first or newest message of a person becomes a note.
 */
export const messagesAreNotEmpty: Invariant = {
  name: 'messages-are-not-empty',
  refusedBy: ['anthropic-messages'],
  check: (view) =>
    emptyUnits(view).map(({ unit }) => ({
      rule: messagesAreNotEmpty.name,
      key: String(unit.seq),
      message: `message ${unit.seq} has no content`,
    })),
  repair: (view) => emptyUnits(view).map((place) => mend(view, place, messagesAreNotEmpty)),
}

interface UnitPlace {
  readonly unit: Unit
  readonly position: number
}

function emptyUnits(view: View): readonly UnitPlace[] {
  return unitsWhere(view, ({ parts }) => parts.length === 0)
}

/** Units that came, a final message of the assistant aside, that are like that. */
function unitsWhere(view: View, test: (unit: Unit) => boolean): readonly UnitPlace[] {
  const last = view.units.length - 1
  return view.units.flatMap((unit, position) => {
    const isFinalAssistant = position === last && unit.role === 'assistant'
    return unit.seq >= 0 && !isFinalAssistant && test(unit) ? [{ unit, position }] : []
  })
}

function mend(view: View, { unit, position }: UnitPlace, rule: Invariant): Edit {
  const base = {
    pass: rule.name,
    reason: 'message without content',
    tokensBefore: 0,
    tokensAfter: 0,
  }
  if (!isEdgeOfPerson(view, position)) return { ...base, type: 'remove', seq: unit.seq }
  const content = { type: 'text' as const, text: EMPTY_MESSAGE }
  return { ...base, type: 'insert', place: { into: unit.seq, at: 'end' }, content }
}

/**
 * A common rule beside the one above: a message of blank text or reasoning alone says nothing, and some
 * endpoints refuse it (cline/cline pull 10759). No provider of the two formats refuses reasoning alone by
 * name, so it is mended only where a compaction is due.
 */
export const messagesSaySomething: Invariant = {
  name: 'messages-say-something',
  refusedBy: [],
  check: (view) =>
    mute(view).map(({ unit }) => ({
      rule: messagesSaySomething.name,
      key: String(unit.seq),
      message: `message ${unit.seq} has nothing but reasoning or blank text`,
    })),
  repair: (view) => mute(view).map((place) => mend(view, place, messagesSaySomething)),
}

function mute(view: View): readonly UnitPlace[] {
  return unitsWhere(view, ({ parts }) => !parts.some(saysSomething))
}
