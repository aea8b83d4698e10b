import { encodingOf, type TokenCounter } from '../../tokens/counter.ts'
import type { Counters } from '../../tokens/counters.ts'
import { type Counting, countingWith, type RequestCounter } from '../setup.ts'

/** Needs no rank file: no UTF-16 unit has more bytes than this, or tokens. */
const bytes = countingWith({ count: ({ length }) => 3 * length })

/** The counts of a conversation, by tokenizer: what was counted once is known for as long as its parts live. */
export class Counts {
  private readonly counters: Counters
  private readonly known = new Map<TokenCounter, Counting>()

  constructor(counters: Counters) {
    this.counters = counters
  }

  /** Gives back those of the model's tokenizer. Rejects with `ranks-unavailable`. */
  async of(model: string | undefined): Promise<Counting> {
    const tokens = await this.counters.get(encodingOf(model))
    const known = this.known.get(tokens) ?? countingWith(tokens)
    this.known.set(tokens, known)
    return known
  }

  /** The same, or bytes where there is no tokenizer: for what is only stored, whose report nobody reads. */
  ofAny(model: string | undefined): Promise<Counting> {
    return this.of(model).catch(() => bytes)
  }
}

/** True where a request was counted by its tokens, not by bytes. */
export function isCounted({ countText }: RequestCounter): boolean {
  return countText !== bytes.tokens.count
}
