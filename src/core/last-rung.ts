import type { RewriteEdit } from './edit.ts'
import { newestUserPosition } from './exchange.ts'
import { mediaRemovedMarker } from './marker.ts'
import {
  hasResults,
  isUserMessage,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
  textOf,
  type Unit,
  type View,
} from './model.ts'
import type { Shortened } from './report.ts'
import { utf8Length } from './shorten/characters.ts'
import { gapTexts } from './shorten/gap.ts'
import { shortenLongStrings } from './shorten/json.ts'
import { shortenPaste } from './shorten/paste.ts'
import { cutResult } from './shorten/shorten.ts'

/** What the last rung may ask. */
export interface LastRungContext {
  readonly countPart: (part: Part) => number
  readonly countText: (text: string) => number
  readonly isRefusal: (part: ToolResultPart) => boolean
  readonly isNewestStep: (unit: Unit) => boolean
  /** The tool that a marker may tell the model to call again. */
  readonly toolOf: (callId: string) => string | undefined
}

/** What the last rung may shorten, in its order (SEEDS 5, "Before a request"). */
export type Stage = 'result' | 'arguments' | 'paste' | 'media'

/** Strings and pastes up to this many bytes stay whole (SEEDS 5). */
export const LONG_BYTES = 1500
/** A result is never asked to get smaller than this: a line or two and the gap. */
const MIN_RESULT_TOKENS = 40

interface Shortening {
  readonly edits: readonly RewriteEdit[]
  readonly shortened: readonly Shortened[]
}

/**
 * Gives back edits of one stage that free about `excessTokens`, each only as far as needed: the newest step's
 * results (exact tools too), largest first, sharing the room left; long strings in the arguments of its calls;
 * pastes in user messages; media of any but the newest user message. Only parts of `units` are touched.
 */
export function shortenStage(
  stage: Stage,
  view: View,
  units: readonly Unit[],
  excessTokens: number,
  context: LastRungContext,
): Shortening {
  const edits = stageEdits(stage, view, units, excessTokens, context)
  const shortened = edits.map(({ seq, tokensBefore, tokensAfter }) => ({
    seq,
    what: stage,
    tokensBefore,
    tokensAfter,
  }))
  return { edits, shortened }
}

function stageEdits(
  stage: Stage,
  view: View,
  units: readonly Unit[],
  excess: number,
  context: LastRungContext,
): readonly RewriteEdit[] {
  switch (stage) {
    case 'result':
      return shortenResults(units.filter(context.isNewestStep), excess, context)
    case 'arguments':
      return shortenArguments(units.filter(context.isNewestStep), excess, context)
    case 'paste':
      return shortenPastes(units.filter(isUserMessage), excess, context)
    case 'media':
      return dropMedia(view, units, excess, context)
    default:
      return stage satisfies never
  }
}

function shortenResults(
  units: readonly Unit[],
  excess: number,
  context: LastRungContext,
): readonly RewriteEdit[] {
  const results = units
    .flatMap((unit) => unit.parts)
    .filter((part): part is ToolResultPart => part.type === 'tool-result' && part.seq >= 0)
    .filter((part) => !context.isRefusal(part))
  return shortenEach(results, excess, 'newest result', context, (part, text, bytes) =>
    cutResult(text, bytes, context.toolOf(part.callId)),
  )
}

function shortenArguments(
  units: readonly Unit[],
  excess: number,
  context: LastRungContext,
): readonly RewriteEdit[] {
  const calls = units
    .flatMap((unit) => unit.parts)
    .filter((part): part is ToolCallPart => part.type === 'tool-call' && part.seq >= 0)
  return shortenEach(calls, excess, 'arguments of the newest call', context, (_, text, bytes) =>
    shortenLongStrings(text, LONG_BYTES, bytes, gapTexts(undefined)),
  )
}

function shortenPastes(
  units: readonly Unit[],
  excess: number,
  context: LastRungContext,
): readonly RewriteEdit[] {
  const texts = units
    .flatMap((unit) => unit.parts)
    .filter((part) => part.type === 'text' && part.seq >= 0 && part.was?.type !== 'media')
    .filter((part) => utf8Length(textOf(part)) > LONG_BYTES)
  return shortenEach(texts, excess, 'paste', context, (_, text, bytes) =>
    shortenPaste(text, LONG_BYTES, bytes),
  )
}

/** Gives back a text that is shorter than the given one, near the given size; `undefined` where it cannot. */
type Shortener<P extends Part> = (part: P, text: string, bytes: number) => string | undefined

/** Shortens parts, the largest first, so that together they free the excess. Always from the original text. */
function shortenEach<P extends Part>(
  parts: readonly P[],
  excess: number,
  reason: string,
  context: LastRungContext,
  shorten: Shortener<P>,
): readonly RewriteEdit[] {
  const share = fairShare(parts.map(context.countPart), excess)
  return parts.flatMap((part) => {
    const tokensBefore = context.countPart(part)
    if (tokensBefore <= share) return []
    const original = textOf(part.was ?? part)
    const text = shortenToTokens(original, share, context.countText, (bytes) =>
      shorten(part, original, bytes),
    )
    const tokensAfter = text === undefined ? tokensBefore : context.countText(text)
    if (text === undefined || tokensAfter >= tokensBefore) return []
    return [
      {
        type: 'rewrite',
        seq: part.seq,
        part: part.index,
        text,
        pass: 'last-rung',
        reason,
        tokensBefore,
        tokensAfter,
      },
    ]
  })
}

/** Sizes are tried from the wanted one down; each try is smaller than the one before. */
const MAX_TRIES = 8
const MIN_BYTES = 60

function shortenToTokens(
  text: string,
  wantedTokens: number,
  countText: (text: string) => number,
  shorten: (bytes: number) => string | undefined,
): string | undefined {
  let bytes = Math.floor((wantedTokens * utf8Length(text)) / Math.max(1, countText(text)))
  let shortest: string | undefined
  for (let tries = 0; tries < MAX_TRIES && bytes >= MIN_BYTES; tries++) {
    const short = shorten(bytes)
    if (short === undefined) return shortest
    const tokens = countText(short)
    if (shortest === undefined || tokens < countText(shortest)) shortest = short
    if (tokens <= wantedTokens) return short
    bytes = Math.floor(bytes * Math.min(0.9, wantedTokens / tokens))
  }
  return shortest
}

/** The size above which parts are cut, so that together they free the excess: the largest give most. */
function fairShare(sizes: readonly number[], excess: number): number {
  const room = Math.max(0, sizes.reduce((sum, size) => sum + size, 0) - excess)
  const ascending = [...sizes].sort((left, right) => left - right)
  let left = room
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index))
    if (size > share) return Math.max(MIN_RESULT_TOKENS, share)
    left -= size
  }
  return Number.POSITIVE_INFINITY
}

function dropMedia(
  view: View,
  units: readonly Unit[],
  excess: number,
  context: LastRungContext,
): readonly RewriteEdit[] {
  const newest = view.units[newestUserPosition(view)]
  const edits: RewriteEdit[] = []
  let freed = 0
  for (const unit of units) {
    // A user message that joined the head keeps its media there; only media of other messages goes.
    if (unit === newest && !hasResults(unit)) continue
    for (const part of unit.parts) {
      if (freed >= excess || part.type !== 'media' || part.seq < 0) continue
      const text = mediaRemovedMarker(part.mediaType, part.name)
      const [tokensBefore, tokensAfter] = [context.countPart(part), context.countText(text)]
      if (tokensAfter >= tokensBefore) continue
      freed += tokensBefore - tokensAfter
      edits.push({
        type: 'rewrite',
        seq: part.seq,
        part: part.index,
        text,
        pass: 'last-rung',
        reason: 'media',
        tokensBefore,
        tokensAfter,
      })
    }
  }
  return edits
}
