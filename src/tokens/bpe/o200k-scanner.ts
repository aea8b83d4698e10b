import {
  BLANK,
  CASELESS,
  CLASS_BITS,
  CLASS_MASK,
  END,
  END_BYTE,
  LINE_END,
  LOWER,
  MARK,
  NUMBER,
  OTHER,
  UPPER,
} from './character-class.ts'
import { CARRIAGE_RETURN, LINE_FEED, Scanner, SPACE } from './scanner.ts'

const SLASH = 0x2f

/**
 * The split rule of o200k_base, as tiktoken states it (one line there):
 *
 *     [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
 *     |[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
 *     |\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
 *
 * What a backtracking matcher would try is decided by the classes of the first characters.
 */
export class O200kScanner extends Scanner {
  override endOf(start: number): number {
    const first = this.look(start)
    const after = start + (first >> CLASS_BITS)
    switch (first & CLASS_MASK) {
      case LOWER:
        return this.endOfContraction(this.endOfLower(after))
      case UPPER:
      case CASELESS:
        return this.endOfContraction(this.endOfWord(start))
      case NUMBER:
        return this.endOfNumber(after)
      case LINE_END:
        return this.endOfBlanks(start)
      case MARK:
        return this.endOfContraction(this.endOfMarked(start, after))
      case BLANK:
        return this.endAfterBlank(start, after)
      default:
        return this.endAfterOther(start, after)
    }
  }

  private endAfterBlank(start: number, after: number): number {
    const word = this.endOfWord(after)
    if (word > after) return this.endOfContraction(word)
    if (this.bytes[start] === SPACE && (this.look(after) & CLASS_MASK) === OTHER) {
      return this.endOfPunctuation(after)
    }
    return this.endOfBlanks(start)
  }

  private endAfterOther(start: number, after: number): number {
    const word = this.endOfWord(after)
    return word > after ? this.endOfContraction(word) : this.endOfPunctuation(start)
  }

  /** A mark may stand before a word or be part of one; before capitals alone it is a word by itself. */
  private endOfMarked(start: number, after: number): number {
    const word = this.endOfCasedWord(after)
    return word > after ? word : this.endOfCasedWord(start)
  }

  /** The letters of either alternative from here on; the same place where there are none. */
  private endOfWord(start: number): number {
    const kind = this.kinds[this.bytes[start] ?? END_BYTE] ?? END
    if (kind === LOWER) return this.endOfLower(start + 1)
    if (kind < UPPER) return start
    const cased = this.endOfCasedWord(start)
    return cased > start ? cased : this.endOfCapitals(start)
  }

  /** `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+`; the same place where it does not match. */
  private endOfCasedWord(start: number): number {
    let afterCaseless = start
    for (let at = start; ; ) {
      const seen = this.look(at)
      const kind = seen & CLASS_MASK
      at += seen >> CLASS_BITS
      if (kind === LOWER) return this.endOfLower(at)
      if (kind < UPPER || kind === END) return afterCaseless
      if (kind !== UPPER) afterCaseless = at
    }
  }

  /** `[\p{Ll}\p{Lm}\p{Lo}\p{M}]*` */
  private endOfLower(start: number): number {
    const { bytes, kinds } = this
    for (let at = start; ; ) {
      while (kinds[bytes[at] ?? END_BYTE] === LOWER) at++
      const seen = this.look(at)
      const kind = seen & CLASS_MASK
      if (kind < LOWER || kind === END) return at
      at += seen >> CLASS_BITS
    }
  }

  /** `[\p{Lu}\p{Lt}]*` */
  private endOfCapitals(start: number): number {
    for (let at = start; ; ) {
      const seen = this.look(at)
      if ((seen & CLASS_MASK) !== UPPER) return at
      at += seen >> CLASS_BITS
    }
  }

  /** `[^\s\p{L}\p{N}]+[\r\n/]*` */
  private endOfPunctuation(start: number): number {
    for (let at = this.endOfOthers(start); ; at++) {
      const byte = this.byteAt(at)
      if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN && byte !== SLASH) return at
    }
  }
}
