import { NO_TOKEN, type Vocabulary } from './vocabulary.ts'

/** A place in the heap is one number: the rank of a pair times this, and where the pair begins. */
const POSITIONS = 2 ** 32

/** What a window was merged into up to a seam: whole tokens. */
export interface Seam {
  /** Where the next token begins, in bytes from the window's start. */
  readonly at: number
  readonly tokens: number
  /** The last token before the seam, and where it begins. */
  readonly lastToken: number
  readonly lastStart: number
}

/**
 * Merges many bytes at once: pairs wait in a heap by rank and place, so that it takes n log n steps. A pair that is
 * no more what it was when it was put there is passed over.
 */
export class MergeWindow {
  readonly size: number
  private readonly vocabulary: Vocabulary
  private readonly tokens: Int32Array
  /** What the part that begins here and the next one would merge into. */
  private readonly pairs: Int32Array
  private readonly next: Int32Array
  private readonly previous: Int32Array
  private readonly heap: Float64Array
  private heaped = 0
  private length = 0

  /** `size` is the most bytes that it takes. */
  constructor(vocabulary: Vocabulary, size: number) {
    this.vocabulary = vocabulary
    this.size = size
    this.tokens = new Int32Array(size)
    this.pairs = new Int32Array(size)
    this.next = new Int32Array(size + 1)
    this.previous = new Int32Array(size + 1)
    // Every byte starts one pair, and a merge takes one pair out for the two that it makes.
    this.heap = new Float64Array(size * 2)
  }

  get firstToken(): number {
    return this.tokens[0] ?? NO_TOKEN
  }

  get firstEnd(): number {
    return this.next[0] ?? 0
  }

  /** Merges the bytes, at least two of them; gives back how many tokens they come to. */
  merge(bytes: Uint8Array, start: number, end: number): number {
    this.length = end - start
    this.begin(bytes, start)
    let parts = this.length
    while (this.heaped > 0) {
      const lowest = this.pop()
      const rank = Math.floor(lowest / POSITIONS)
      const at = lowest - rank * POSITIONS
      if (this.pairs[at] !== rank) continue
      this.mergeAt(at, rank)
      parts--
    }
    return parts
  }

  private begin(bytes: Uint8Array, start: number): void {
    const { rankOfByte, rankOfBytes } = this.vocabulary
    const last = this.length - 1
    this.heaped = 0
    for (let at = 0; at <= last; at++) {
      const byte = bytes[start + at] ?? 0
      this.tokens[at] = rankOfByte[byte] ?? NO_TOKEN
      this.next[at] = at + 1
      this.previous[at] = at - 1
      const following = bytes[start + at + 1] ?? 0
      this.setPair(at, at < last ? (rankOfBytes[(byte << 8) | following] ?? NO_TOKEN) : NO_TOKEN)
    }
  }

  private mergeAt(at: number, rank: number): void {
    const { tokens, next, previous, vocabulary } = this
    const merged = next[at] ?? 0
    const after = next[merged] ?? 0
    const before = previous[at] ?? -1
    tokens[at] = rank
    next[at] = after
    this.pairs[merged] = NO_TOKEN
    if (after < this.length) {
      previous[after] = at
      this.setPair(at, vocabulary.merged(rank, tokens[after] ?? 0))
    } else {
      this.pairs[at] = NO_TOKEN
    }
    if (before >= 0) this.setPair(before, vocabulary.merged(tokens[before] ?? 0, rank))
  }

  private setPair(at: number, rank: number): void {
    this.pairs[at] = rank
    if (rank !== NO_TOKEN) this.push(rank * POSITIONS + at)
  }

  private push(place: number): void {
    const { heap } = this
    let at = this.heaped++
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = heap[parent] ?? 0
      if (above <= place) break
      heap[at] = above
      at = parent
    }
    heap[at] = place
  }

  private pop(): number {
    const { heap } = this
    const top = heap[0] ?? 0
    const place = heap[--this.heaped] ?? 0
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= this.heaped) break
      let below = heap[child] ?? 0
      const other = heap[child + 1] ?? 0
      if (child + 1 < this.heaped && other < below) {
        child++
        below = other
      }
      if (below >= place) break
      heap[at] = below
      at = child
    }
    heap[at] = place
    return top
  }

  /** Gives back the last seam at or before this many bytes; one token stands before it at least. */
  seamBefore(limit: number): Seam {
    let lastStart = 0
    let at = this.firstEnd
    let tokens = 1
    for (let end = this.next[at] ?? 0; end <= limit; end = this.next[at] ?? 0) {
      lastStart = at
      at = end
      tokens++
    }
    return { at, tokens, lastToken: this.tokens[lastStart] ?? NO_TOKEN, lastStart }
  }
}
