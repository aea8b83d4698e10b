import {
  BLANK,
  CASELESS,
  CLASS_BITS,
  CLASS_MASK,
  END_BYTE,
  LINE_END,
  LOWER,
  MARK,
  NUMBER,
  OTHER,
  UPPER,
} from './character-class.ts'
import { CARRIAGE_RETURN, LINE_FEED, Scanner, SPACE } from './scanner.ts'

/**
 * The split rule of cl100k_base, as tiktoken states it:
 *
 *     (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}
 *     | ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
 */
export class Cl100kScanner extends Scanner {
  override endOf(start: number): number {
    const first = this.look(start)
    const after = start + (first >> CLASS_BITS)
    switch (first & CLASS_MASK) {
      case UPPER:
      case LOWER:
      case CASELESS:
        return this.endOfLetters(after)
      case NUMBER:
        return this.endOfNumber(after)
      case LINE_END:
        return this.endOfBlanks(start)
      case BLANK:
        return this.endAfterBlank(start, after)
      default:
        return this.endAfterOther(start, after)
    }
  }

  private endAfterBlank(start: number, after: number): number {
    const letters = this.endOfLetters(after)
    if (letters > after) return letters
    const next = this.look(after) & CLASS_MASK
    const isBeforeOther = next === OTHER || next === MARK
    if (this.bytes[start] === SPACE && isBeforeOther) return this.endOfPunctuation(after)
    return this.endOfBlanks(start)
  }

  private endAfterOther(start: number, after: number): number {
    const contraction = this.endOfContraction(start)
    if (contraction > start) return contraction
    const letters = this.endOfLetters(after)
    return letters > after ? letters : this.endOfPunctuation(start)
  }

  /** `\p{L}*` */
  private endOfLetters(start: number): number {
    const { bytes, kinds } = this
    for (let at = start; ; ) {
      while (kinds[bytes[at] ?? END_BYTE] === LOWER) at++
      const seen = this.look(at)
      const kind = seen & CLASS_MASK
      if (kind < UPPER || kind > CASELESS) return at
      at += seen >> CLASS_BITS
    }
  }

  /** `[^\s\p{L}\p{N}]+[\r\n]*` */
  private endOfPunctuation(start: number): number {
    for (let at = this.endOfOthers(start); ; at++) {
      const byte = this.byteAt(at)
      if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) return at
    }
  }
}
