import { contentWords, type Fact } from './facts.ts'

/** Share of the question's weight that a fact must cover to count as an answer. */
const enough = 0.5

/** How far behind the best fact another one may be and still be quoted beside it. */
const nearBest = 0.9

const quotedAtMost = 3

/**
 * Gives back the facts that answer a question, best first, at most three; none where the payload does
 * not say. Rare words weigh more than common ones; equal facts are given once. Linear in the facts.
 */
export function recall(facts: readonly Fact[], question: string): readonly Fact[] {
  const asked = [...contentWords(question)]
  if (asked.length === 0) return []
  const weigh = weights(facts, asked)
  const whole = asked.reduce((total, word) => total + weigh(word), 0)
  const scored = distinct(facts)
    .map((fact) => ({ fact, score: coverage(fact, asked, weigh) / whole }))
    .filter(({ score }) => score >= enough)
    .sort((one, other) => other.score - one.score)
  const best = scored[0]?.score ?? 0
  const near = scored.filter(({ score }) => score >= best * nearBest)
  return near.slice(0, quotedAtMost).map(({ fact }) => fact)
}

/** Gives back the facts that hold the most rare words: what a reader would come back to. */
export function highlights(facts: readonly Fact[], among: readonly Fact[]): readonly Fact[] {
  const words = new Set(facts.flatMap((fact) => [...fact.words]))
  const weigh = weights(among, [...words])
  return distinct(facts)
    .map((fact) => ({
      fact,
      score: coverage(fact, [...fact.words], weigh) / (fact.words.size + 4),
    }))
    .sort((one, other) => other.score - one.score)
    .slice(0, quotedAtMost)
    .map(({ fact }) => fact)
}

function weights(facts: readonly Fact[], words: readonly string[]): (word: string) => number {
  const found = new Map(words.map((word) => [word, 0]))
  for (const fact of facts) {
    for (const word of fact.words) {
      const count = found.get(word)
      if (count !== undefined) found.set(word, count + 1)
    }
  }
  return (word) => Math.log(2 + facts.length / ((found.get(word) ?? 0) + 1))
}

function coverage(fact: Fact, words: readonly string[], weigh: (word: string) => number): number {
  return words.reduce((total, word) => total + (fact.words.has(word) ? weigh(word) : 0), 0)
}

function distinct(facts: readonly Fact[]): readonly Fact[] {
  return [...new Map(facts.toReversed().map((fact) => [fact.text, fact])).values()].toReversed()
}
