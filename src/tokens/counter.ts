import * as cl100k from 'gpt-tokenizer/encoding/cl100k_base'
import * as o200k from 'gpt-tokenizer/encoding/o200k_base'

/** The encodings that Tamp counts with. For models of other makers o200k_base is an estimate (TOKENS 7). */
export type Encoding = 'o200k_base' | 'cl100k_base'

/** Counts the tokens of texts, synchronously, without a network. */
export interface TokenCounter {
  /** Tokens of a text; special tokens in it are ordinary text. Never throws; linear in the length. */
  readonly count: (text: string) => number
  /** True once a count was made in slices and is an estimate that errs upward. */
  readonly isEstimated: () => boolean
}

/**
 * With this option text that spells a special token is ordinary text; without it gpt-tokenizer throws.
 * One shared set, since a new one a call costs time (TOKENS 1).
 */
const asText = { disallowedSpecial: new Set<string>() }

/** gpt-tokenizer merges in quadratic time, so runs without a break are counted in slices this long (TOKENS T1). */
const SLICE_LENGTH = 128
/** One run of letters, or one run of anything that is neither letter nor digit: what one pretoken may grow to. */
const ENDLESS_RUN = /[\p{L}\p{M}]{129,4096}|[^\p{L}\p{N}]{129,4096}/gu
/** The merge cache must never reach its size, or each miss scans a Map of deleted entries (TOKENS T2) … */
const CACHE_SIZE = 10_000_000
/** … and it pins the texts it was filled from (TOKENS T3), so it is emptied after so many characters. */
const CHARACTERS_PER_CACHE = 4_000_000

type CountPiece = (text: string) => number

/** One counter of pieces an encoding: the tokenizer's merge cache is one a module too. */
const pieceCounters = new Map<Encoding, CountPiece>()

function pieceCounter(encoding: Encoding): CountPiece {
  const known = pieceCounters.get(encoding)
  if (known) return known
  const { countTokens, clearMergeCache, setMergeCacheSize } =
    encoding === 'cl100k_base' ? cl100k : o200k
  setMergeCacheSize(CACHE_SIZE)
  let sinceCleared = 0
  const count: CountPiece = (text) => {
    sinceCleared += text.length
    if (sinceCleared > CHARACTERS_PER_CACHE) {
      clearMergeCache()
      sinceCleared = text.length
    }
    return countTokens(text, asText)
  }
  pieceCounters.set(encoding, count)
  return count
}

/** Gives back a counter for the encoding. */
export function tokenCounter(encoding: Encoding): TokenCounter {
  const countPiece = pieceCounter(encoding)
  let estimated = false
  const count = (text: string): number => {
    if (text === '') return 0
    if (!mayHoldEndlessRun(text)) return countPiece(text)
    let tokens = 0
    for (const piece of piecesOf(text)) {
      tokens += countPiece(piece.text)
      if (piece.isSlice) estimated = true
    }
    return tokens
  }
  return { count, isEstimated: () => estimated }
}

/** Longest run that is counted in one go. */
const LONGEST_RUN = SLICE_LENGTH

/**
 * A quick look that never misses a run: outside ASCII, where letters are not told apart, every character is taken
 * to go on with the run before it.
 */
function mayHoldEndlessRun(text: string): boolean {
  if (text.length <= LONGEST_RUN) return false
  let run = 0
  let runClass = OTHER
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const own = code < 128 ? (ASCII_CLASS[code] ?? OTHER) : runClass
    run = own === runClass ? run + 1 : 1
    runClass = own
    if (run > LONGEST_RUN) return true
  }
  return false
}

const LETTER = 1
const DIGIT = 2
const OTHER = 3
const ASCII_CLASS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[a-z]/iu.test(character)) return LETTER
  return /\d/u.test(character) ? DIGIT : OTHER
})

interface Piece {
  readonly text: string
  readonly isSlice: boolean
}

/** The text in order: whole stretches, and slices of runs that have no break. */
function* piecesOf(text: string): Generator<Piece> {
  let from = 0
  for (const match of text.matchAll(ENDLESS_RUN)) {
    if (match.index > from) yield { text: text.slice(from, match.index), isSlice: false }
    from = match.index + match[0].length
    yield* slicesOf(match[0])
  }
  if (from < text.length) yield { text: text.slice(from), isSlice: false }
}

function* slicesOf(run: string): Generator<Piece> {
  for (let at = 0; at < run.length; ) {
    let to = at + SLICE_LENGTH
    const unit = run.charCodeAt(to)
    if (unit >= 0xdc00 && unit <= 0xdfff) to++ // never between the halves of a pair
    yield { text: run.slice(at, to), isSlice: true }
    at = to
  }
}

/** OpenAI models that still use cl100k_base (gpt-tokenizer's own model list). */
const CL100K_MODEL = /^(?:gpt-4(?!o|\.1|\.5)|gpt-3\.5|text-embedding)/u

/** Models whose own tokenizer is one of the two. */
const OPENAI_MODEL = /^(?:openai\/)?(?:gpt|chatgpt|o\d|codex|text-embedding)/u

/** True where the encoding is the model's own, and a count no estimate (TOKENS 7). */
export function isOwnEncoding(model: string | undefined): boolean {
  return model !== undefined && OPENAI_MODEL.test(model)
}

/** Gives back the encoding of a model; o200k_base unless the model is known to use another (SEEDS Z1). */
export function encodingOf(model: string | undefined): Encoding {
  return model !== undefined && CL100K_MODEL.test(model) ? 'cl100k_base' : 'o200k_base'
}
