/** The longest pretokens that fit, in bytes. */
export const FRONT_BYTES = 12
/** How far behind a pretoken bytes are read, and thrown away. */
export const READ_AHEAD_BYTES = FRONT_BYTES

const ENTRIES = 1 << 14
const ENTRY_MASK = ENTRIES - 1
/** An entry is the bytes of a pretoken in three words, then its length above its count. */
const ENTRY_WORDS = 4
const COUNT_BITS = 8
const COUNT_MASK = (1 << COUNT_BITS) - 1

/** Bytes of a word that belong to the pretoken, by how many of them do. */
const WORD_MASKS = Int32Array.of(0, 0xff, 0xffff, 0xffffff, -1)

/**
 * Remembers short pretokens by the words that their bytes make: one look, no loop. Each place holds what came last.
 * That is how most of a text is counted.
 */
export class FrontCache {
  /** Of the pretoken that was looked for last. */
  hash = 0
  private readonly entries = new Int32Array(ENTRIES * ENTRY_WORDS)
  private view = new DataView(new ArrayBuffer(0))
  private first = 0
  private second = 0
  private third = 0
  private length = 0

  /** Turns to other bytes, behind which {@link READ_AHEAD_BYTES} more can be read. */
  read(bytes: Uint8Array<ArrayBuffer>): void {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  clear(): void {
    this.entries.fill(0)
  }

  /** Gives back the count of the pretoken, or 0 where it is not known. */
  find(start: number, length: number): number {
    const { view, entries } = this
    const first = view.getInt32(start, true) & wordMask(length)
    const second = length > 4 ? view.getInt32(start + 4, true) & wordMask(length - 4) : 0
    const third = length > 8 ? view.getInt32(start + 8, true) & wordMask(length - 8) : 0
    const hash = hashOf(first, second, third)
    const at = (hash & ENTRY_MASK) * ENTRY_WORDS
    const counted = entries[at + 3] ?? 0
    if (
      entries[at] === first &&
      entries[at + 1] === second &&
      entries[at + 2] === third &&
      counted >> COUNT_BITS === length
    ) {
      return counted & COUNT_MASK
    }
    this.hash = hash
    this.first = first
    this.second = second
    this.third = third
    this.length = length
    return 0
  }

  /** Remembers the pretoken that {@link find} did not know last. */
  add(count: number): void {
    const at = (this.hash & ENTRY_MASK) * ENTRY_WORDS
    this.entries[at] = this.first
    this.entries[at + 1] = this.second
    this.entries[at + 2] = this.third
    this.entries[at + 3] = (this.length << COUNT_BITS) | count
  }
}

function wordMask(bytes: number): number {
  return bytes >= 4 ? -1 : (WORD_MASKS[bytes] ?? 0)
}

function hashOf(first: number, second: number, third: number): number {
  const mixed =
    Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b) ^ Math.imul(third, 0x2c1b3c6d)
  const spread = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b)
  return spread ^ (spread >>> 13)
}
