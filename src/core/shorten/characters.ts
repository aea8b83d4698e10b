/** Lengths and cuts that never split what a person sees as one character. */

/** Gives back the length of a text in UTF-8 bytes; a lone surrogate counts 3, as its replacement would. */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) continue
    bytes += unit < 0x800 || isPair(text, at) ? 1 : 2
    if (isPair(text, at)) {
      bytes += 1
      at++
    }
  }
  return bytes
}

function isPair(text: string, at: number): boolean {
  const high = text.charCodeAt(at)
  const low = text.charCodeAt(at + 1) // NaN past the end, which is no low surrogate
  return high >= 0xd800 && high <= 0xdbff && low >= 0xdc00 && low <= 0xdfff
}

/** Gives back the number of code points. */
export function characterCount(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length; at++) {
    if (isPair(text, at)) {
      count--
      at++
    }
  }
  return count
}

/** Graphemes longer than this many units are cut at a code point: nothing in use is. */
const WINDOW = 64

const segmenter =
  typeof Intl.Segmenter === 'function'
    ? new Intl.Segmenter(undefined, { granularity: 'grapheme' })
    : undefined

/**
 * Gives back the last position at or before `at` where a cut splits no grapheme. Only a window around the
 * place is segmented, since `Intl.Segmenter` is super-linear in the length of its text (QUALITY 3.5).
 */
export function boundaryBefore(text: string, at: number): number {
  if (at <= 0) return 0
  if (at >= text.length) return text.length
  if (text.charCodeAt(at) < 0x80 && text.charCodeAt(at - 1) < 0x80 && text.charCodeAt(at) !== 10)
    return at
  const from = flagRunStart(text, codePointBoundary(text, Math.max(0, at - WINDOW)))
  const around = text.slice(from, at + WINDOW)
  let best = from
  for (const { index } of segmenter?.segment(around) ?? []) {
    if (from + index > at) break
    best = from + index
  }
  return best > from || from === 0 ? best : codePointBoundary(text, at)
}

/** Flags are pairs of letters that only their count from the start of the run tells apart. */
function flagRunStart(text: string, at: number): number {
  let start = at
  while (start >= 2 && isFlagLetter(text, start) && isFlagLetter(text, start - 2)) start -= 2
  return start
}

function isFlagLetter(text: string, at: number): boolean {
  const low = text.charCodeAt(at + 1)
  return text.charCodeAt(at) === 0xd83c && low >= 0xdde6 && low <= 0xddff
}

function codePointBoundary(text: string, at: number): number {
  return at > 0 && isPair(text, at - 1) ? at - 1 : at
}

/** Gives back the longest start of a text that has at most so many UTF-8 bytes and splits no grapheme. */
export function headOf(text: string, bytes: number): string {
  let used = 0
  let at = 0
  while (at < text.length) {
    const units = isPair(text, at) ? 2 : 1
    const size = utf8Length(text.slice(at, at + units))
    if (used + size > bytes) return text.slice(0, boundaryBefore(text, at))
    used += size
    at += units
  }
  return text
}

/** Gives back the longest end of a text that has at most so many UTF-8 bytes and splits no grapheme. */
export function tailOf(text: string, bytes: number): string {
  let at = text.length
  let used = 0
  while (at > 0) {
    const units = at > 1 && isPair(text, at - 2) ? 2 : 1
    const size = utf8Length(text.slice(at - units, at))
    if (used + size > bytes) break
    used += size
    at -= units
  }
  if (at === 0) return text
  const boundary = boundaryBefore(text, at)
  return text.slice(boundary === at ? at : nextBoundary(text, at))
}

function nextBoundary(text: string, at: number): number {
  for (let next = at; next <= Math.min(text.length, at + WINDOW); next++) {
    if (boundaryBefore(text, next) === next) return next
  }
  return codePointBoundary(text, at)
}

/** Gives back the first `count` code points, or up to the grapheme boundary before them. */
export function firstCharacters(text: string, count: number): string {
  let at = 0
  for (let seen = 0; seen < count && at < text.length; seen++) at += isPair(text, at) ? 2 : 1
  return text.slice(0, boundaryBefore(text, at))
}

/** Gives back the text with each half of a broken surrogate pair replaced by U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(LONE_SURROGATE, '\uFFFD')
}

/** The engine's own is a hundred times as fast; Firefox before 119 has none. */
const native = (String.prototype as { readonly isWellFormed?: () => boolean }).isWellFormed

/** True for a text without broken surrogate pairs. */
export function isWellFormed(text: string): boolean {
  return native ? native.call(text) : text.search(LONE_SURROGATE) === -1
}

// With the u flag a well-formed pair is one code point, so the class matches lone halves only.
const LONE_SURROGATE = /\p{Surrogate}/gu
