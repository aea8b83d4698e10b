const RUN = /[\p{L}\p{M}\p{N}_]+/gu
/** Scripts that put no blanks between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** Gives back the words of a text, lower case; in scripts without blanks its pairs of characters (QUALITY 3.5). */
export function wordsOf(text: string): readonly string[] {
  const words: string[] = []
  for (const [run] of text.matchAll(RUN)) {
    if (UNSPACED.test(run)) words.push(...pairsOf(run))
    else if (run.length > 1) words.push(run.toLowerCase())
  }
  return words
}

function pairsOf(run: string): readonly string[] {
  const characters = [...run]
  if (characters.length === 1) return characters
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`)
}

/** Gives back the share of the words of `of` that occur in `other`; 1 where `of` has none. */
export function wordOverlap(of: string, other: ReadonlySet<string>): number {
  const words = new Set(wordsOf(of))
  if (words.size === 0) return 1
  let shared = 0
  for (const word of words) if (other.has(word)) shared++
  return shared / words.size
}
