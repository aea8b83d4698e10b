import type { Part, Unit } from '../core/model.ts'
import type { TokenCounter } from './counter.ts'

/**
 * Framing of one message. OpenAI's chat format takes 3 tokens, one more where `name` is set (TOKENS 7);
 * 4 errs upward for all of them.
 */
export const MESSAGE_TOKENS = 4

/**
 * An image, whatever its size: the most that Anthropic (1,568 px, 28 px a token) charges, above OpenAI's
 * 85 + 8 × 170 (TOKENS 7). It errs upward; the base64 of an image is never counted as text.
 */
export const IMAGE_TOKENS = 1600
/** A file that is no image: as many images as it has this many bytes, an estimate that errs upward for PDF pages. */
const FILE_BYTES_PER_IMAGE = 100_000
/** What joins a text that an edit made to the text beside it: at most a blank line. */
const SEPARATOR_TOKENS = 2

/** Counts parts and units; each part once. */
export interface PartCounter {
  readonly countText: (text: string) => number
  readonly countPart: (part: Part) => number
  /** Counts the name of a speaker; 0 for none. */
  readonly countName: (name: string | undefined) => number
  readonly countUnit: (unit: Unit) => number
}

/** Counts that were made before; `undefined` for what is not among them. */
export interface KnownCounts {
  readonly partTokens: (part: Part) => number | undefined
  readonly nameTokens: (unit: Unit) => number | undefined
}

const NOTHING_KNOWN: KnownCounts = { partTokens: () => undefined, nameTokens: () => undefined }

/** Gives back a counter of parts that remembers each part for as long as the part lives. */
export function partCounter(counter: TokenCounter, stored = NOTHING_KNOWN): PartCounter {
  const known = new WeakMap<Part, number>()
  const countPart = (part: Part): number => {
    const cached = known.get(part)
    if (cached !== undefined) return cached
    const tokens = stored.partTokens(part) ?? partTokens(part, counter.count)
    known.set(part, tokens)
    return tokens
  }
  const countName = (name: string | undefined) => (name === undefined ? 0 : counter.count(name))
  const knownUnits = new WeakMap<Unit, number>()
  const countUnit = (unit: Unit): number => {
    const cached = knownUnits.get(unit)
    if (cached !== undefined) return cached
    let tokens = MESSAGE_TOKENS + nameTokens(unit)
    for (const part of unit.parts) tokens += countPart(part)
    knownUnits.set(unit, tokens)
    return tokens
  }
  const nameTokens = (unit: Unit): number =>
    unit.name === undefined ? 0 : (stored.nameTokens(unit) ?? countName(unit.name))
  return { countText: counter.count, countPart, countName, countUnit }
}

function partTokens(part: Part, count: (text: string) => number): number {
  switch (part.type) {
    case 'text':
      return count(part.text) + (isBesideText(part) ? SEPARATOR_TOKENS : 0)
    case 'reasoning':
    case 'tool-result':
    case 'opaque':
      return count(part.text)
    case 'tool-call':
      return count(part.tool) + count(part.input)
    case 'media':
      return mediaTokens(part.mediaType, part.bytes)
    default:
      return part satisfies never
  }
}

/** Inserted texts and notes in the place of media stand beside texts that they are counted apart from. */
export function isBesideText(part: Part): boolean {
  return part.seq < 0 || part.was?.type === 'media'
}

function mediaTokens(mediaType: string, bytes: number): number {
  if (mediaType.startsWith('image/')) return IMAGE_TOKENS
  return IMAGE_TOKENS * Math.max(1, Math.ceil(bytes / FILE_BYTES_PER_IMAGE))
}
