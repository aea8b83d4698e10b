/** What a line of a conversation may cover: a word, an exact string, a failure, what a person named. */
export type ConceptKind = 'word' | 'entity' | 'error' | 'focus'

/** Concepts by number, each with what covering it is worth. */
export class Concepts {
  private readonly numbers: Readonly<Record<ConceptKind, Map<string, number>>> = {
    word: new Map(),
    entity: new Map(),
    error: new Map(),
    focus: new Map(),
  }
  private readonly weights: number[] = []
  private readonly entities: boolean[] = []

  /** Gives back the number of a concept; a new one is worth what `weigh` says. */
  numberOf(kind: ConceptKind, text: string, weigh: () => number): number {
    const ofKind = this.numbers[kind]
    const known = ofKind.get(text)
    if (known !== undefined) return known
    const number = this.weights.length
    ofKind.set(text, number)
    this.weights.push(weigh())
    this.entities.push(kind === 'entity')
    return number
  }

  isEntity(concept: number): boolean {
    return this.entities[concept] === true
  }

  readonly weightOf = (concept: number): number => this.weights[concept] ?? 0
}
