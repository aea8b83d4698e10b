import { END_BYTE } from './character-class.ts'
import { FRONT_BYTES, FrontCache, READ_AHEAD_BYTES } from './front-cache.ts'
import { Merger } from './merge.ts'
import { PretokenCache } from './pretoken-cache.ts'
import type { Scanner } from './scanner.ts'
import { NO_TOKEN, type Vocabulary } from './vocabulary.ts'

/** UTF-16 units that are turned into bytes at a time; more where one pretoken is longer. */
const PIECE_UNITS = 1 << 15
/** The most that one unit takes in UTF-8; a pair of surrogates takes 4. */
const BYTES_PER_UNIT = 3
/** Up to so many units the encoder's own call takes longer than a loop over them. */
const SHORT_TEXT_UNITS = 256
/** Behind the bytes stands their end, and the look-up of short pretokens reads past it. */
const SPARE_BYTES = 1 + READ_AHEAD_BYTES

const encoder = new TextEncoder()

/**
 * Counts the tokens of an encoding, exactly as tiktoken's `encode_ordinary` does: text that spells a special token is
 * ordinary text, and a lone surrogate counts as U+FFFD.
 *
 * Time is linear in the text. Memory is that of its tables, and beside them of the longest pretoken while a text is
 * counted: a pretoken has to be seen whole. No part of a text is kept.
 */
export class BpeCounter {
  private readonly scanner: Scanner
  private readonly merger: Merger
  private readonly rankOfBytes: Int32Array
  private readonly front = new FrontCache()
  private readonly cache = new PretokenCache()
  private readonly pieceUnits: number
  private readonly usualBytes: Uint8Array<ArrayBuffer>
  private bytes: Uint8Array<ArrayBuffer>
  /** Where counting stopped: the bytes from there on are not counted yet. */
  private counted = 0

  /** `pieceUnits`: UTF-16 units that are read at a time; tests take few. */
  constructor(scanner: Scanner, vocabulary: Vocabulary, pieceUnits = PIECE_UNITS) {
    this.pieceUnits = pieceUnits
    this.usualBytes = new Uint8Array(2 * pieceUnits * BYTES_PER_UNIT + SPARE_BYTES)
    this.bytes = this.usualBytes
    this.scanner = scanner
    this.merger = new Merger(vocabulary)
    this.rankOfBytes = vocabulary.rankOfBytes
    this.turnTo(this.usualBytes)
  }

  /** Forgets what it remembers of earlier texts, which no count depends on. */
  clear(): void {
    this.front.clear()
    this.cache.clear()
  }

  /** Gives back how many tokens the text has. A property, so that it can be handed on alone. */
  readonly count = (text: string): number => {
    let tokens = 0
    let left = 0
    for (let at = 0; at < text.length; ) {
      // A pretoken that fills what was read is read on twice as long: it is scanned from its start each time.
      const to = endOfPiece(text, at + Math.max(this.pieceUnits, left))
      const length = this.encode(text.slice(at, to), left)
      tokens += this.countBytes(length, to === text.length)
      left = length - this.counted
      this.bytes.copyWithin(0, this.counted, length)
      at = to
    }
    if (this.bytes !== this.usualBytes) this.turnTo(this.usualBytes)
    return tokens
  }

  /** Writes the text behind what was left of the last piece; gives back where the bytes end. */
  private encode(text: string, left: number): number {
    const needed = left + text.length * BYTES_PER_UNIT + SPARE_BYTES
    if (needed > this.bytes.length) {
      const larger = new Uint8Array(needed * 2)
      larger.set(this.bytes.subarray(0, left))
      this.turnTo(larger)
    }
    const end = this.writeAscii(text, left) ?? this.writeText(text, left)
    this.bytes[end] = END_BYTE
    return end
  }

  /** Short texts are written without a call of the encoder, which costs more than they do; `undefined` for all others. */
  private writeAscii(text: string, left: number): number | undefined {
    const { bytes } = this
    const { length } = text
    if (length > SHORT_TEXT_UNITS) return undefined
    for (let at = 0; at < length; at++) {
      const unit = text.charCodeAt(at)
      if (unit > 0x7f) return undefined
      bytes[left + at] = unit
    }
    return left + length
  }

  private writeText(text: string, left: number): number {
    const free = left === 0 ? this.bytes : this.bytes.subarray(left)
    return left + encoder.encodeInto(text, free).written
  }

  private turnTo(bytes: Uint8Array<ArrayBuffer>): void {
    this.bytes = bytes
    this.scanner.read(bytes)
    this.front.read(bytes)
    this.cache.read(bytes)
    this.merger.read(bytes)
  }

  /** Counts the pretokens; where more text follows, those that it cannot change. */
  private countBytes(length: number, isLast: boolean): number {
    const { scanner, bytes, rankOfBytes } = this
    scanner.read(bytes)
    let tokens = 0
    let start = 0
    while (start < length) {
      const end = scanner.endOf(start)
      if (scanner.hasSeenEnd && !isLast) break
      const size = end - start
      if (size === 1) tokens++
      else if (size === 2) {
        const pair = ((bytes[start] ?? 0) << 8) | (bytes[start + 1] ?? 0)
        tokens += rankOfBytes[pair] === NO_TOKEN ? 2 : 1
      } else {
        tokens += size <= FRONT_BYTES ? this.countShort(start, end) : this.countLong(start, end)
      }
      start = end
    }
    this.counted = start
    return tokens
  }

  private countShort(start: number, end: number): number {
    const { front } = this
    const known = front.find(start, end - start)
    if (known > 0) return known
    const count = this.countOnce(front.hash, start, end)
    front.add(count)
    return count
  }

  private countLong(start: number, end: number): number {
    return this.countOnce(hashOf(this.bytes, start, end), start, end)
  }

  private countOnce(hash: number, start: number, end: number): number {
    const known = this.cache.find(hash, start, end)
    if (known > 0) return known
    const count = this.merger.count(start, end)
    this.cache.add(hash, { start, end, count })
    return count
  }
}

/** Never between the halves of a pair of surrogates. */
function endOfPiece(text: string, limit: number): number {
  if (limit >= text.length) return text.length
  const isHalved = isSurrogate(text, limit - 1, 0xd800) && isSurrogate(text, limit, 0xdc00)
  return isHalved ? limit + 1 : limit
}

/** True for one of the 1,024 surrogates from `first` on. */
function isSurrogate(text: string, at: number, first: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === first
}

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193)
  return hash ^ (hash >>> 15)
}
