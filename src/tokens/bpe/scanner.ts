import {
  BLANK,
  CLASS_BITS,
  CLASS_MASK,
  classesOfBytes,
  END,
  END_BYTE,
  LINE_END,
  MARK,
  NUMBER,
  OTHER,
  WIDE,
} from './character-class.ts'

/** Bytes that every split rule asks for by themselves. */
export const SPACE = 0x20
export const LINE_FEED = 0x0a
export const CARRIAGE_RETURN = 0x0d
const APOSTROPHE = 0x27
/** Folds ASCII letters to lower case. */
const CASE_BIT = 0x20
const [D, E, L, M, R, S, T, V] = [...'delmrstv'].map((letter) => letter.charCodeAt(0))
/** ſ, which Rust folds to s. */
const LONG_S = [0xc5, 0xbf] as const

/**
 * Reads UTF-8 bytes the way an encoding's split rule reads characters. The bytes hold whole characters and end with
 * {@link END_BYTE}. Its loops go over bytes of ASCII in one step each: nothing else counts for speed as much.
 */
export abstract class Scanner {
  /** True once a look reached the end: what was found last may change with more text. */
  hasSeenEnd = false
  protected bytes: Uint8Array = Uint8Array.of(END_BYTE)
  /** By byte. */
  protected readonly kinds: Uint8Array
  /** By code point. */
  private readonly classes: Uint8Array

  constructor(classes: Uint8Array) {
    this.classes = classes
    this.kinds = classesOfBytes(classes)
  }

  /** Gives back where the pretoken ends that begins at this byte; exclusive. */
  abstract endOf(start: number): number

  /** Turns to other bytes, whose end it has not seen. */
  read(bytes: Uint8Array): void {
    this.bytes = bytes
    this.hasSeenEnd = false
  }

  /** The class of the character that begins at this byte, with its length in bytes above {@link CLASS_BITS}. */
  protected look(at: number): number {
    const kind = this.kinds[this.bytes[at] ?? END_BYTE] ?? END
    if (kind === WIDE) return this.lookBeyondAscii(at)
    if (kind === END) this.hasSeenEnd = true
    return kind | (1 << CLASS_BITS)
  }

  private lookBeyondAscii(at: number): number {
    const { bytes, classes } = this
    const first = bytes[at] ?? 0
    const second = (bytes[at + 1] ?? 0) & 63
    if (first < 0xe0) return (classes[((first & 31) << 6) | second] ?? 0) | (2 << CLASS_BITS)
    const low = (second << 6) | ((bytes[at + 2] ?? 0) & 63)
    if (first < 0xf0) return (classes[((first & 15) << 12) | low] ?? 0) | (3 << CLASS_BITS)
    const codePoint = ((first & 7) << 18) | (low << 6) | ((bytes[at + 3] ?? 0) & 63)
    return (classes[codePoint] ?? 0) | (4 << CLASS_BITS)
  }

  /** One byte, where a rule asks for a certain character. */
  protected byteAt(at: number): number {
    const byte = this.bytes[at] ?? END_BYTE
    if (byte === END_BYTE) this.hasSeenEnd = true
    return byte
  }

  /** `(?i:'s|'t|'re|'ve|'m|'ll|'d)?`: where it ends, which is where it would begin if there is none. */
  protected endOfContraction(at: number): number {
    if (this.bytes[at] !== APOSTROPHE) return at
    const first = this.byteAt(at + 1)
    const letter = first | CASE_BIT
    if (letter === S || letter === T || letter === M || letter === D) return at + 2
    if (letter === L) return this.isLetter(at + 2, L) ? at + 3 : at
    if (letter === R || letter === V) return this.isLetter(at + 2, E) ? at + 3 : at
    return first === LONG_S[0] && this.byteAt(at + 2) === LONG_S[1] ? at + 3 : at
  }

  private isLetter(at: number, letter: number | undefined): boolean {
    return (this.byteAt(at) | CASE_BIT) === letter
  }

  /** `\p{N}{1,3}`, of which the first is read. */
  protected endOfNumber(second: number): number {
    const third = this.afterNumber(second)
    return third === second ? second : this.afterNumber(third)
  }

  private afterNumber(at: number): number {
    const seen = this.look(at)
    return (seen & CLASS_MASK) === NUMBER ? at + (seen >> CLASS_BITS) : at
  }

  /** `[^\s\p{L}\p{N}]*` */
  protected endOfOthers(start: number): number {
    const { bytes, kinds } = this
    for (let at = start; ; ) {
      while (kinds[bytes[at] ?? END_BYTE] === OTHER) at++
      const seen = this.look(at)
      const kind = seen & CLASS_MASK
      if (kind !== OTHER && kind !== MARK) return at
      at += seen >> CLASS_BITS
    }
  }

  /**
   * `\s*[\r\n]+|\s+(?!\S)|\s+`: up to the last line end of the run; without one, the last blank is left to what
   * follows, if anything does.
   */
  protected endOfBlanks(start: number): number {
    let last = start
    let afterLineEnd = -1
    for (let at = start; ; ) {
      const seen = this.look(at)
      const kind = seen & CLASS_MASK
      if (kind !== BLANK && kind !== LINE_END) {
        if (afterLineEnd >= 0) return afterLineEnd
        return kind === END || last === start ? at : last
      }
      last = at
      at += seen >> CLASS_BITS
      if (kind === LINE_END) afterLineEnd = at
    }
  }
}
