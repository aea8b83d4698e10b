/** Pretokens that are remembered at once. */
const MAX_PRETOKENS = 1 << 17
/** Twice as many, so that a search ends soon. */
const SLOT_MASK = MAX_PRETOKENS * 2 - 1
/** Of all of them together. */
const MAX_BYTES = 1 << 21
/** Longer ones are seldom met twice. */
const LONGEST_BYTES = 256

/**
 * Remembers counts of pretokens by their bytes, which it copies, so that it keeps no text alive (TOKENS T3). Full, it
 * is cleared whole: no entry is ever searched for to be dropped (TOKENS T2).
 */
export class PretokenCache {
  private bytes: Uint8Array = new Uint8Array()
  /** The number of an entry from 1 on, by hash; 0 where free. */
  private readonly slots = new Int32Array(SLOT_MASK + 1)
  private readonly hashes = new Int32Array(MAX_PRETOKENS)
  private readonly counts = new Int32Array(MAX_PRETOKENS)
  /** Where the bytes of an entry begin in the pool; those of the next one begin where they end. */
  private readonly starts = new Int32Array(MAX_PRETOKENS + 1)
  private readonly pool = new Uint8Array(MAX_BYTES)
  private size = 0

  /** Turns to other bytes. */
  read(bytes: Uint8Array): void {
    this.bytes = bytes
  }

  clear(): void {
    this.slots.fill(0)
    this.size = 0
  }

  /** Gives back the count of the pretoken, or 0 where it is not known. */
  find(hash: number, start: number, end: number): number {
    const { slots, hashes } = this
    for (let slot = hash & SLOT_MASK; ; slot = (slot + 1) & SLOT_MASK) {
      const entry = (slots[slot] ?? 0) - 1
      if (entry < 0) return 0
      if (hashes[entry] === hash && this.holds(entry, start, end)) return this.counts[entry] ?? 0
    }
  }

  private holds(entry: number, start: number, end: number): boolean {
    const { bytes, pool, starts } = this
    const from = starts[entry] ?? 0
    if ((starts[entry + 1] ?? 0) - from !== end - start) return false
    const offset = from - start
    for (let at = start; at < end; at++) {
      if (bytes[at] !== pool[at + offset]) return false
    }
    return true
  }

  /** Remembers a pretoken that {@link find} did not know. */
  add(hash: number, { start, end, count }: CountedPretoken): void {
    if (end - start > LONGEST_BYTES) return
    const needed = (this.starts[this.size] ?? 0) + end - start
    if (this.size === MAX_PRETOKENS || needed > MAX_BYTES) this.clear()
    const entry = this.size++
    const from = this.starts[entry] ?? 0
    this.pool.set(this.bytes.subarray(start, end), from)
    this.starts[entry + 1] = from + end - start
    this.hashes[entry] = hash
    this.counts[entry] = count
    let slot = hash & SLOT_MASK
    while (this.slots[slot] !== 0) slot = (slot + 1) & SLOT_MASK
    this.slots[slot] = entry + 1
  }
}

/** Where a pretoken's bytes lie, and its tokens. */
export interface CountedPretoken {
  readonly start: number
  readonly end: number
  readonly count: number
}
