/** No token: higher than any rank, so that the lowest rank of some is found by comparing. */
export const NO_TOKEN = 0x7fffffff

/** What a rank file holds, beside the classes of characters. */
export interface RankTable {
  /** The byte of each of the first 256 tokens, by rank. */
  readonly byteOfRank: Uint8Array
  /** The two tokens that merge into one, by rank; those of the first 256 mean nothing. */
  readonly left: Int32Array
  readonly right: Int32Array
}

const RANK_BITS = 18
const RANK_MASK = (1 << RANK_BITS) - 1
/** At least, since most look-ups find nothing and end at the first free slot. */
const SLOTS_PER_TOKEN = 2

/**
 * The tokens of an encoding by the two tokens that each is merged from.
 *
 * Two neighbours of a merge in progress form a token exactly if they are the two that its own bytes come to before
 * the last merge: what happens inside them happens in the same order alone as among others, so a pair of tokens is
 * enough to look up, and no bytes are compared. Every token of o200k_base and cl100k_base is reached this way, which
 * the maker of the rank files checks.
 */
export class Vocabulary {
  /** The token of each single byte. */
  readonly rankOfByte = new Int32Array(256)
  /** Tokens of two bytes, by both: the start of every merge. {@link NO_TOKEN} where there is none. */
  readonly rankOfBytes = new Int32Array(1 << 16).fill(NO_TOKEN)
  private readonly left: Int32Array
  private readonly right: Int32Array
  /** A token above part of its hash, by hash; 0 where free. */
  private readonly slots: Int32Array
  private readonly slotMask: number

  constructor({ byteOfRank, left, right }: RankTable) {
    this.left = left
    this.right = right
    const slotBits = Math.ceil(Math.log2(left.length * SLOTS_PER_TOKEN))
    this.slots = new Int32Array(1 << slotBits)
    this.slotMask = this.slots.length - 1
    for (const [rank, byte] of byteOfRank.entries()) this.rankOfByte[byte] = rank
    for (let rank = byteOfRank.length; rank < left.length; rank++) this.add(rank, byteOfRank)
  }

  private add(rank: number, byteOfRank: Uint8Array): void {
    const left = this.left[rank] ?? 0
    const right = this.right[rank] ?? 0
    const first = byteOfRank[left]
    const second = byteOfRank[right]
    if (first !== undefined && second !== undefined) this.rankOfBytes[(first << 8) | second] = rank
    const hash = hashOf(left, right)
    let slot = hash & this.slotMask
    while (this.slots[slot] !== 0) slot = (slot + 1) & this.slotMask
    this.slots[slot] = entryOf(hash, rank)
  }

  /** Gives back the token that the two merge into, or {@link NO_TOKEN}. */
  merged(left: number, right: number): number {
    const { slots, slotMask } = this
    const hash = hashOf(left, right)
    const tag = hash >>> RANK_BITS
    for (let slot = hash & slotMask; ; slot = (slot + 1) & slotMask) {
      const entry = slots[slot] ?? 0
      if (entry === 0) return NO_TOKEN
      if (entry >>> RANK_BITS !== tag) continue
      const rank = entry & RANK_MASK
      if (this.left[rank] === left && this.right[rank] === right) return rank
    }
  }
}

function hashOf(left: number, right: number): number {
  const mixed = Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b)
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
}

/** Never 0, which is a free slot: no pair merges into a token of rank 0, which is a single byte. */
function entryOf(hash: number, rank: number): number {
  return ((hash >>> RANK_BITS) << RANK_BITS) | rank
}
