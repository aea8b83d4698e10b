import { charactersOmitted, isMarker } from '../core/marker.ts'
import { type Part, type ToolCallPart, textOf, type Unit } from '../core/model.ts'
import { characterCount, firstCharacters, wellFormed } from '../core/shorten/characters.ts'
import type { Sliced } from '../core/sliced.ts'
import { argumentsOf } from '../core/tools.ts'

/** Who a line comes from, as the weights of QUALITY 3.2 tell origins apart. */
export type LineOrigin = 'user' | 'assistant' | 'call' | 'result' | 'error'

/** One quotable line with where it stands. */
export interface Line {
  readonly origin: LineOrigin
  /** What stands in front of it in a checkpoint: `[user]`, `[tool run]` … */
  readonly tag: string
  readonly text: string
  /** Index of its unit in the fold, and of the line in the whole fold: the order of time. */
  readonly unitIndex: number
  readonly position: number
  /** True for the first line of its text: of a failure, mostly the one that says what failed. */
  readonly isFirst: boolean
}

/** A line is clipped to this many characters; longer lines are first taken apart by sentences (QUALITY 3.3). */
const LINE_CHARACTERS = 320
/** Sentence segmentation is super-linear on V8, so it never sees more than this at once (QUALITY 3.5). */
const SEGMENT_CHARACTERS = 2000
/** Arguments that say what a call was about stay longer than others (QUALITY 3.3). */
const MAIN_ARGUMENT = /^(?:path|file_path|filePath|file|filename|command|cmd|query|pattern|url)$/u
const MAIN_ARGUMENT_CHARACTERS = 200
const ARGUMENT_CHARACTERS = 80

/** It yields after so many lines. */
const ROUNDS = 64

/** Gives back every line of the units, in order: texts, results line by line, calls as `name(k=v)`. */
export function* linesOf(units: readonly Unit[]): Sliced<readonly Line[]> {
  const lines: Line[] = []
  const tools = new Map<string, string>()
  for (const [unitIndex, unit] of units.entries()) {
    for (const part of unit.parts) {
      const original = part.was ?? part
      if (original.type === 'tool-call') tools.set(original.callId, original.tool)
      const source = sourceOf(unit, part, original, tools)
      if (!source) continue
      const from = lines.length
      for (const text of splitLines(source.text)) {
        const position = lines.length
        const { origin, tag } = source
        lines.push({ origin, tag, text, unitIndex, position, isFirst: position === from })
        if (position % ROUNDS === 0) yield
      }
    }
  }
  return lines
}

interface Source {
  readonly origin: LineOrigin
  readonly tag: string
  readonly text: string
}

function sourceOf(
  unit: Unit,
  part: Part,
  original: Part,
  tools: ReadonlyMap<string, string>,
): Source | undefined {
  switch (original.type) {
    case 'text':
      if (unit.role === 'system') return { origin: 'user', tag: '[system]', text: original.text }
      return unit.role === 'assistant'
        ? { origin: 'assistant', tag: '[assistant]', text: original.text }
        : {
            origin: 'user',
            tag: unit.name === undefined ? '[user]' : `[${unit.name}]`,
            text: original.text,
          }
    case 'tool-call':
      return { origin: 'call', tag: '[call]', text: callLine(original) }
    case 'tool-result': {
      if (isMarker(textOf(part))) return undefined
      const origin = original.isError ? 'error' : 'result'
      return {
        origin,
        tag: `[tool ${tools.get(original.callId) ?? ''}]`.replace(' ]', ']'),
        text: original.text,
      }
    }
    case 'opaque':
      return original.kind === 'refusal'
        ? { origin: 'assistant', tag: '[assistant refuses]', text: original.text }
        : undefined
    case 'media': // noted beside the summary, whoever writes it
    case 'reasoning':
      return undefined
    default:
      return original satisfies never
  }
}

function callLine(call: ToolCallPart): string {
  const values = argumentsOf(call)
  if (!values) return `${call.tool}(${clip(call.input, ARGUMENT_CHARACTERS)})`
  const shown = Object.entries(values).map(([name, value]) => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
    const limit = MAIN_ARGUMENT.test(name) ? MAIN_ARGUMENT_CHARACTERS : ARGUMENT_CHARACTERS
    return `${name}=${clip(text.replaceAll('\n', ' '), limit)}`
  })
  return `${call.tool}(${shown.join(', ')})`
}

function* splitLines(text: string): Generator<string> {
  for (const raw of wellFormed(text).split('\n')) {
    const line = raw.trim()
    if (line === '') continue
    if (line.length <= LINE_CHARACTERS) yield line
    else for (const sentence of sentencesOf(line)) yield clip(sentence, LINE_CHARACTERS)
  }
}

/** What is cut says how much is gone. */
function clip(text: string, limit: number): string {
  if (text.length <= limit) return text
  const head = firstCharacters(text, limit)
  const gone = characterCount(text) - characterCount(head)
  return gone > 0 ? `${head} ${charactersOmitted(gone)}` : text
}

const segmenter =
  typeof Intl.Segmenter === 'function'
    ? new Intl.Segmenter(undefined, { granularity: 'sentence' })
    : undefined

function* sentencesOf(line: string): Generator<string> {
  for (let at = 0; at < line.length; ) {
    const piece = firstCharacters(line.slice(at, at + SEGMENT_CHARACTERS), SEGMENT_CHARACTERS)
    at += Math.max(1, piece.length)
    if (!segmenter) {
      yield piece
      continue
    }
    for (const { segment } of segmenter.segment(piece))
      if (segment.trim() !== '') yield segment.trim()
  }
}
