import type { Encoding } from '../../core/encoding.ts'
import { BpeCounter } from './bpe-counter.ts'
import { Cl100kScanner } from './cl100k-scanner.ts'
import { O200kScanner } from './o200k-scanner.ts'
import { type RankBytes, readRankFile } from './rank-file.ts'
import { Vocabulary } from './vocabulary.ts'

const scanners = { o200k_base: O200kScanner, cl100k_base: Cl100kScanner } as const

/**
 * Gives back a counter for the encoding, from its rank file. Throws `ranks-unavailable` for others.
 * `pieceUnits`: how much of a text is read at a time, for tests.
 */
export function openCounter(encoding: Encoding, ranks: RankBytes, pieceUnits?: number): BpeCounter {
  const file = readRankFile(encoding, ranks)
  const Scanner = scanners[encoding]
  return new BpeCounter(new Scanner(file.classes), new Vocabulary(file), pieceUnits)
}
