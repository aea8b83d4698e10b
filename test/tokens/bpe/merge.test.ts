import { describe, expect, it } from 'vitest'
import { Merger, type WindowSizes } from '../../../src/tokens/bpe/merge.ts'
import { readRankFile } from '../../../src/tokens/bpe/rank-file.ts'
import { Vocabulary } from '../../../src/tokens/bpe/vocabulary.ts'
import { drawFrom } from '../../support/generate/draw.ts'
import { rankBytes } from '../../support/rank-files.ts'

const vocabulary = new Vocabulary(readRankFile('o200k_base', { bytes: rankBytes('o200k_base') }))

function countWith(sizes: WindowSizes, bytes: Uint8Array): number {
  const merger = new Merger(vocabulary, sizes)
  merger.read(bytes)
  return merger.count(0, bytes.length)
}

const whole = { windowBytes: 1 << 16, overlapBytes: 512 }

describe('a merge by windows', () => {
  it.each([
    [1024, 512],
    [700, 300],
    // So little that seams are wrong, which is noticed, and larger windows are taken.
    [300, 8],
    [256, 1],
  ])(
    'of %i bytes with %i left over comes to what a merge of all does',
    (windowBytes, overlapBytes) => {
      const seed = windowBytes
      const draw = drawFrom(seed)
      for (let run = 0; run < 60; run++) {
        const [first, range] = draw.pick([
          [97, 2],
          [97, 26],
          [32, 95],
          [0, 256],
          [48, 10],
          [45, 3],
        ] as const)
        const bytes = Uint8Array.from(
          { length: 2000 + draw.below(20_000) },
          () => first + draw.below(range),
        )
        const counted = countWith({ windowBytes, overlapBytes }, bytes)
        expect(counted, `run ${run} of seed ${seed}`).toBe(countWith(whole, bytes))
      }
    },
  )

  it.each(['a', 'ab', '=', '-*', ' ', '\n', 'aaab', 'ha'])(
    'of a run of %j comes to what a merge of all does',
    (unit) => {
      const bytes = new TextEncoder().encode(unit.repeat(20_000 / unit.length))
      const counted = countWith({ windowBytes: 300, overlapBytes: 8 }, bytes)
      expect(counted).toBe(countWith(whole, bytes))
    },
  )
})
