import { MergeWindow } from './merge-window.ts'
import { NO_TOKEN, type Vocabulary } from './vocabulary.ts'

/** Up to this many bytes the lowest pair is looked for among all; a heap has more to do for so few. */
const SHORT_BYTES = 32
/** Two of the longest tokens, which have 128 bytes: what is merged at a seam. */
const SEAM_BYTES = 256

/** How a long pretoken is cut; tests cut it otherwise. */
export interface WindowSizes {
  /** What is merged at once. */
  readonly windowBytes: number
  /** What a window leaves to the next one at its end, where the text that is not seen yet may change its tokens. */
  readonly overlapBytes: number
}

const WINDOW_SIZES: WindowSizes = { windowBytes: 8192, overlapBytes: 512 }

/** Merges the bytes of one pretoken into tokens: the lowest rank first, of equal ones the leftmost. */
export class Merger {
  private readonly vocabulary: Vocabulary
  private readonly tokens = new Int32Array(SEAM_BYTES)
  /** What a part and the next one would merge into. */
  private readonly pairs = new Int32Array(SEAM_BYTES)
  private readonly window: MergeWindow
  private readonly overlapBytes: number
  private bytes: Uint8Array = new Uint8Array()

  constructor(vocabulary: Vocabulary, { windowBytes, overlapBytes } = WINDOW_SIZES) {
    this.vocabulary = vocabulary
    this.window = new MergeWindow(vocabulary, windowBytes)
    this.overlapBytes = overlapBytes
  }

  /** Turns to other bytes. */
  read(bytes: Uint8Array): void {
    this.bytes = bytes
  }

  /** Gives back how many tokens the bytes come to, `end` exclusive: at least one byte. */
  count(start: number, end: number): number {
    if (end - start <= SHORT_BYTES) return this.countShort(start, end)
    let { window } = this
    for (;;) {
      const tokens = this.countInWindows(window, start, end)
      if (tokens !== undefined) return tokens
      window = new MergeWindow(this.vocabulary, window.size * 2)
    }
  }

  /**
   * Counts window by window, so that memory is bounded and a heap stays small. A row of tokens is what its bytes come
   * to exactly if each two neighbours are what their own bytes come to: the first merge between two of them would
   * happen to the two alone as well. So a seam of windows is right where the token before it and the one behind it
   * stay as they are when they are merged alone; `undefined` where they do not, which asks for larger windows.
   */
  private countInWindows(window: MergeWindow, start: number, end: number): number | undefined {
    let total = 0
    let lastToken = NO_TOKEN
    let lastStart = start
    for (let at = start; ; ) {
      const to = Math.min(at + window.size, end)
      const tokens = window.merge(this.bytes, at, to)
      if (at > start) {
        const seamTokens = this.countShort(lastStart, at + window.firstEnd)
        if (seamTokens !== 2 || this.tokens[0] !== lastToken) return undefined
      }
      if (to === end) return total + tokens
      const seam = window.seamBefore(window.size - this.overlapBytes)
      total += seam.tokens
      lastToken = seam.lastToken
      lastStart = at + seam.lastStart
      at += seam.at
    }
  }

  /** Merges at most {@link SEAM_BYTES}; what they come to is left in `tokens`. */
  private countShort(start: number, end: number): number {
    const { tokens, pairs, vocabulary } = this
    let last = end - start - 1
    let at = this.beginShort(start, last)
    for (let lowest = pairs[at] ?? NO_TOKEN; lowest !== NO_TOKEN; lowest = pairs[at] ?? NO_TOKEN) {
      tokens[at] = lowest
      last--
      for (let part = at + 1; part <= last; part++) {
        tokens[part] = tokens[part + 1] ?? 0
        pairs[part] = pairs[part + 1] ?? 0
      }
      if (at > 0) pairs[at - 1] = vocabulary.merged(tokens[at - 1] ?? 0, lowest)
      pairs[at] = at < last ? vocabulary.merged(lowest, tokens[at + 1] ?? 0) : NO_TOKEN
      at = this.lowestPair(last)
    }
    return last + 1
  }

  private beginShort(start: number, last: number): number {
    const { bytes, tokens, pairs } = this
    const { rankOfByte, rankOfBytes } = this.vocabulary
    let byte = bytes[start] ?? 0
    for (let part = 0; part < last; part++) {
      const next = bytes[start + part + 1] ?? 0
      tokens[part] = rankOfByte[byte] ?? 0
      pairs[part] = rankOfBytes[(byte << 8) | next] ?? NO_TOKEN
      byte = next
    }
    tokens[last] = rankOfByte[byte] ?? 0
    pairs[last] = NO_TOKEN
    return this.lowestPair(last)
  }

  private lowestPair(last: number): number {
    const { pairs } = this
    let at = 0
    let lowest = pairs[0] ?? NO_TOKEN
    for (let part = 1; part < last; part++) {
      const rank = pairs[part] ?? NO_TOKEN
      if (rank < lowest) {
        lowest = rank
        at = part
      }
    }
    return at
  }
}
