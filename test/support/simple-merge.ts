import o200kRanks from 'gpt-tokenizer/bpeRanks/o200k_base'

const ranks = new Map(
  o200kRanks.map((token, rank) => {
    const bytes = typeof token === 'string' ? Buffer.from(token) : Buffer.from(token)
    return [bytes.toString('latin1'), rank]
  }),
)

/**
 * Counts the tokens of one pretoken of o200k_base the plain way: of all two neighbours those whose bytes are the token
 * of the lowest rank become one, from left to right, until no two are a token. Independent of Tamp's rank files and of
 * its merge; each round takes one rank, so that it is fast where few different ones are met.
 */
export function countPretokenSimply(text: string): number {
  let parts = [...Buffer.from(text).toString('latin1')]
  for (;;) {
    const lowest = lowestPair(parts)
    if (lowest === undefined) return parts.length
    parts = mergeEverywhere(parts, lowest)
  }
}

function lowestPair(parts: readonly string[]): string | undefined {
  let lowest: string | undefined
  let lowestRank = Number.POSITIVE_INFINITY
  for (let at = 0; at + 1 < parts.length; at++) {
    const pair = `${parts[at]}${parts[at + 1]}`
    const rank = ranks.get(pair)
    if (rank === undefined || rank >= lowestRank) continue
    lowestRank = rank
    lowest = pair
  }
  return lowest
}

function mergeEverywhere(parts: readonly string[], pair: string): string[] {
  const merged: string[] = []
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? ''
    const isPair = `${part}${parts[at + 1]}` === pair
    merged.push(isPair ? pair : part)
    if (isPair) at++
  }
  return merged
}
