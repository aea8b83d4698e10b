import { readFileSync } from 'node:fs'
import { rankFile } from '../../.ci/ranks.mjs'
import type { Encoding } from '../../src/core/encoding.ts'
import type { BpeCounter } from '../../src/tokens/bpe/bpe-counter.ts'
import { openCounter } from '../../src/tokens/bpe/open-counter.ts'

/** The bytes of an encoding's rank file, which the test configuration made. */
export function rankBytes(encoding: Encoding): Uint8Array {
  return new Uint8Array(readFileSync(rankFile(encoding)))
}

/** Gives back a counter of its own, from the file. */
export function counterFromFile(encoding: Encoding): BpeCounter {
  return openCounter(encoding, { bytes: rankBytes(encoding) })
}
