import { describe, expect, it } from 'vitest'
import { encodings } from '../../../src/core/encoding.ts'
import { openCounter } from '../../../src/tokens/bpe/open-counter.ts'
import { corpora } from '../../support/corpora.ts'
import { fuzzText } from '../../support/fuzz-texts.ts'
import { drawFrom } from '../../support/generate/draw.ts'
import { counterFromFile, rankBytes } from '../../support/rank-files.ts'
import { countPretokenSimply } from '../../support/simple-merge.ts'
import { tiktokenCounter } from '../../support/tiktoken.ts'

const counter = counterFromFile('o200k_base')
const texts = corpora(1 << 16)
const minutes = 60_000
const randomOf = (first: number, range: number, length: number) => {
  const draw = drawFrom(9)
  const units = Array.from({ length }, () => first + draw.below(range))
  return (
    String.fromCharCode(...units.slice(0, 50_000)) + String.fromCharCode(...units.slice(50_000))
  )
}

describe.each(encodings)('pieces of a text in %s', (encoding) => {
  const tiktoken = tiktokenCounter(encoding)

  it.each([1, 2, 3, 7, 64])(
    'of %i units change no count',
    (pieceUnits) => {
      const inPieces = openCounter(encoding, { bytes: rankBytes(encoding) }, pieceUnits)
      const seed = 7 + pieceUnits
      const draw = drawFrom(seed)
      for (let run = 0; run < 2000; run++) {
        const text = fuzzText(draw, texts)
        expect(inPieces.count(text), `run ${run} of seed ${seed}`).toBe(tiktoken(text))
      }
    },
    minutes,
  )
})

describe('runs without a break', () => {
  it.each([
    ['a', 'a'],
    ['A', 'A'],
    ['é', 'é'],
    ['中', '中'],
    ['😀', '😀'],
    ['combining marks', '\u0301'],
    ['lone surrogates', '\ud800'],
    ['blanks', ' '],
    ['line ends', '\n'],
    ['equal signs', '='],
    ['three letters', 'abc'],
    ['slashes and line ends', '/\n'],
  ])(
    'of %s count as a plain merge has them',
    (_, unit) => {
      const text = unit.repeat(Math.floor(100_000 / unit.length))
      expect(counter.count(text)).toBe(countPretokenSimply(text))
    },
    minutes,
  )

  it.each([
    ['letters', randomOf(97, 26, 20_000)],
    ['ideographs', randomOf(0x4e00, 20_000, 10_000)],
    ['two letters', randomOf(97, 2, 20_000)],
    ['three signs', randomOf(0x3d, 3, 20_000)],
  ])(
    'of random %s count as tiktoken has them',
    (_, text) => {
      expect(counter.count(text)).toBe(tiktokenCounter('o200k_base')(text))
    },
    minutes,
  )

  it(
    'of ten million characters end',
    () => {
      expect(counter.count('a'.repeat(10_000_000))).toBe(10 * counter.count('a'.repeat(1_000_000)))
      expect(counter.count('中'.repeat(10_000_000))).toBeGreaterThan(1_000_000)
    },
    minutes,
  )
})

describe('long texts', () => {
  it(
    'of a hundred million characters count as the sum of their lines',
    () => {
      const lines = `${texts.prose.replaceAll('\n', ' ')}\n${texts.code.replaceAll('\n', ' ')}\n`
      const times = Math.ceil(100_000_000 / lines.length)
      const once = counter.count(`x\n${lines}x`) - counter.count('x\nx')
      const text = `x\n${lines.repeat(times)}x`
      expect(counter.count(text)).toBe(once * times + counter.count('x\nx'))
    },
    minutes,
  )

  it(
    'that are binary count as tiktoken has them',
    () => {
      const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => (at * at * 31 + at * 7) % 251)
      const text = new TextDecoder('latin1').decode(bytes)
      expect(counter.count(text)).toBe(tiktokenCounter('o200k_base')(text))
    },
    minutes,
  )

  it(
    'of every code point count as the sum of their lines',
    () => {
      const lines = Array.from({ length: 0x110000 / 64 }, (_, line) => {
        const points = Array.from({ length: 64 }, (_, at) => line * 64 + at)
        return `x${String.fromCodePoint(...points.filter((point) => point !== 10))}x\n`
      })
      const sum = lines.reduce((total, line) => total + counter.count(line), 0)
      expect(counter.count(lines.join(''))).toBe(sum)
    },
    minutes,
  )
})

describe('memory', () => {
  it(
    'keeps no text alive, and no more than its tables after a long one',
    () => {
      const own = counterFromFile('o200k_base')
      own.count(texts.base64)
      own.count('中'.repeat(1_000_000))
      expect(heldBytes(own)).toBeLessThan(20_000_000)
    },
    minutes,
  )
})

/** Bytes of all arrays that can be reached from an object. */
function heldBytes(from: object, seen: Set<object> = new Set()): number {
  if (seen.has(from)) return 0
  seen.add(from)
  if (from instanceof ArrayBuffer) return from.byteLength
  if (ArrayBuffer.isView(from)) return heldBytes(from.buffer, seen)
  const values: unknown[] = Object.values(from)
  return values.reduce<number>(
    (sum, value) => sum + (typeof value === 'object' && value ? heldBytes(value, seen) : 0),
    0,
  )
}
