import type { Encoding } from '../core/encoding.ts'
import { openCounter } from './bpe/open-counter.ts'
import type { RankBytes } from './bpe/rank-file.ts'
import type { TokenCounter } from './counter.ts'

/** Counters by encoding, each made when it is asked for first. */
export interface Counters {
  /** Gives back the counter. Rejects with `ranks-unavailable` where its rank file cannot be had. */
  readonly get: (encoding: Encoding) => Promise<TokenCounter>
}

/** Gets the rank file of an encoding. Rejects with `ranks-unavailable`. */
export type RankLoader = (encoding: Encoding) => Promise<RankBytes>

/** Gives back counters over rank files. A file that could not be had is asked for again by the next call. */
export function countersOver(load: RankLoader): Counters {
  const known = new Map<Encoding, Promise<TokenCounter>>()
  const get = (encoding: Encoding): Promise<TokenCounter> => {
    const opened = known.get(encoding)
    if (opened) return opened
    const opening = load(encoding).then((ranks): TokenCounter => openCounter(encoding, ranks))
    known.set(encoding, opening)
    opening.catch(() => known.delete(encoding)) // who asked has the error
    return opening
  }
  return { get }
}
