import { charactersOmitted, isMarker } from '../core/marker.ts'
import {
  type MediaPart,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
  textOf,
  type Unit,
} from '../core/model.ts'
import { characterCount, firstCharacters, wellFormed } from '../core/shorten/characters.ts'
import { escapeTags } from './escape-tags.ts'

/** Bounds of what a summarizer is shown of one part, in characters: every kind of text has one (SEEDS M10, D29). */
const RESULT_CHARACTERS = 2000
const INPUT_CHARACTERS = 800
const ASSISTANT_CHARACTERS = 4000
const USER_CHARACTERS = 8000

/**
 * Gives back units as prose, one tagged paragraph a part (SEEDS M10): from the originals, only markers stand in
 * for text; results and arguments clipped with a count, reasoning left out, media named and never carried.
 */
export function renderUnits(units: readonly Unit[]): string {
  const tools = toolNames(units)
  return units
    .flatMap((unit) => unit.parts.flatMap((part) => renderPart(unit, part, tools)))
    .join('\n\n')
}

function toolNames(units: readonly Unit[]): ReadonlyMap<string, string> {
  const calls = units.flatMap((unit) =>
    unit.parts.filter((part): part is ToolCallPart => part.type === 'tool-call'),
  )
  return new Map(calls.map((call) => [call.callId, call.tool]))
}

function renderPart(unit: Unit, part: Part, tools: ReadonlyMap<string, string>): readonly string[] {
  const original = part.was ?? part
  switch (original.type) {
    case 'text':
      return paragraph(
        speakerOf(unit),
        original.text,
        unit.role === 'user' ? USER_CHARACTERS : ASSISTANT_CHARACTERS,
      )
    case 'tool-call':
      return paragraph(`[assistant calls ${original.tool}]`, original.input, INPUT_CHARACTERS)
    case 'tool-result':
      return renderResult(part, original, tools)
    case 'media':
      return [`${speakerOf(unit)} ${mediaName(original)}`]
    case 'opaque':
      return paragraph(`[${original.kind}]`, opaqueText(original.text), ASSISTANT_CHARACTERS)
    case 'reasoning':
      return []
    default:
      return original satisfies never
  }
}

function speakerOf(unit: Unit): string {
  if (unit.role === 'assistant') return '[assistant]'
  if (unit.role === 'system') return '[system]'
  return unit.name === undefined ? '[user]' : `[${unit.name}]`
}

function renderResult(
  part: Part,
  original: ToolResultPart,
  tools: ReadonlyMap<string, string>,
): readonly string[] {
  const text = isMarker(textOf(part)) ? textOf(part) : original.text
  const tool = tools.get(original.callId)
  const kind = original.isError ? 'tool error' : 'tool result'
  return paragraph(`[${kind}${tool === undefined ? '' : ` ${tool}`}]`, text, RESULT_CHARACTERS)
}

function mediaName(part: MediaPart): string {
  return `[${part.mediaType.split('/')[0]}${part.name === undefined ? '' : ` ${part.name}`}]`
}

/** The text of a compaction that the provider made, else the JSON of the block. */
function opaqueText(json: string): string {
  const content = /^\{"type":"compaction","content":("(?:[^"\\]|\\.)*")/u.exec(json)?.[1]
  return content === undefined ? json : (JSON.parse(content) as string) // a JSON string by the pattern
}

function paragraph(tag: string, text: string, limit: number): readonly string[] {
  if (text.trim() === '') return []
  return [`${tag} ${escapeTags(clip(wellFormed(text), limit))}`]
}

function clip(text: string, limit: number): string {
  const length = characterCount(text)
  if (length <= limit) return text
  const head = firstCharacters(text, Math.ceil(limit * 0.7))
  const tail = lastCharacters(text, Math.floor(limit * 0.3))
  const gone = length - characterCount(head) - characterCount(tail)
  return `${head} ${charactersOmitted(gone)} ${tail}`
}

function lastCharacters(text: string, count: number): string {
  const from = text.length - count
  const unit = text.charCodeAt(from)
  return text.slice(unit >= 0xdc00 && unit <= 0xdfff ? from + 1 : from)
}
