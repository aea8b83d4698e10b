import * as cl100k from 'gpt-tokenizer/encoding/cl100k_base'
import * as o200k from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { encodings } from '../../../src/core/encoding.ts'
import { corpora } from '../../support/corpora.ts'
import { fuzzText } from '../../support/fuzz-texts.ts'
import { drawFrom } from '../../support/generate/draw.ts'
import { counterFromFile } from '../../support/rank-files.ts'
import { tiktokenCounter } from '../../support/tiktoken.ts'
import { readTranscripts } from '../../support/transcripts.ts'

/** Random texts an encoding: `TAMP_FUZZ_RUNS`, else 20,000. The seed is printed where one fails. */
const fuzzRuns = Number(process.env.TAMP_FUZZ_RUNS ?? 20_000)
const seed = Number(process.env.TAMP_FUZZ_SEED ?? 20_261_201)

const asText = { disallowedSpecial: new Set<string>() }
const gptTokenizer = { o200k_base: o200k, cl100k_base: cl100k }
const texts = corpora(1 << 17)
const transcripts = readTranscripts()
const minutes = 60_000

const shown = (text: string): string =>
  JSON.stringify(text).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

describe.each(encodings)('the counter of %s', (encoding) => {
  const counter = counterFromFile(encoding)
  const tiktoken = tiktokenCounter(encoding)

  it.each(Object.entries(texts))(
    'counts a corpus of %s as tiktoken and gpt-tokenizer do, twice',
    (_, text) => {
      const expected = tiktoken(text)
      expect(gptTokenizer[encoding].countTokens(text, asText)).toBe(expected)
      expect(counter.count(text)).toBe(expected)
      expect(counter.count(text)).toBe(expected)
    },
    minutes,
  )

  it.each([
    ['nothing', ''],
    ['a byte order mark', '\ufeff'],
    ['a byte order mark before a word', '\ufeffusing'],
    ['a next line', 'a\u0085b\u0085\u0085c'],
    ['a long s as a contraction', "don'ſ don'ſx"],
    ['a Kelvin sign', "'\u212A"],
    ['a high surrogate alone', 'a\ud800b'],
    ['a low surrogate alone', '\udc00'],
    ['surrogates the wrong way round', '\udc00\ud800'],
    ['a mark before capitals', '\u0301ABC .\u0301ABC \u0301ABC'],
    ['capitals after letters without case', '中ABC中ABCd'],
    ['contractions at the end', "it'l"],
    ['an apostrophe at the end', "IT'"],
    ['contractions before letters', "'sabc 'LLx 'rex"],
    ['special tokens', '<|endoftext|><|im_start|>user<|endofprompt|>'],
    ['slashes after punctuation', '!//\r\n/x'],
    ['blanks at the end', 'a \n  \n '],
    ['only blanks', ' \t\u3000 '],
    ['names of object members', 'constructor __proto__ valueOf'],
  ])('counts %s', (_, text) => {
    expect(counter.count(text)).toBe(tiktoken(text))
  })

  it.skipIf(transcripts.length === 0)(
    'counts all recorded conversations as tiktoken does',
    () => {
      for (const { name, request } of transcripts) {
        const text = JSON.stringify(request)
        expect(counter.count(text), name).toBe(tiktoken(text))
      }
    },
    5 * minutes,
  )

  it(
    `counts ${fuzzRuns} random texts as tiktoken does`,
    () => {
      const draw = drawFrom(seed)
      for (let run = 0; run < fuzzRuns; run++) {
        const text = fuzzText(draw, texts)
        const counted = counter.count(text)
        const expected = tiktoken(text)
        if (counted !== expected) {
          expect.fail(`${counted}, not ${expected} in run ${run} of seed ${seed}: ${shown(text)}`)
        }
      }
    },
    60 * minutes,
  )

  it(
    'counts every code point as tiktoken does: alone, between letters, after a blank',
    () => {
      const differing: string[] = []
      for (let point = 0; point < 0x110000; point += isAssigned(point) ? 1 : 997) {
        const character = String.fromCodePoint(point)
        for (const text of [`${character}(Y`, `a${character}(Y`, `a ${character} the`]) {
          if (counter.count(text) !== tiktoken(text)) differing.push(shown(text))
        }
      }
      expect(differing).toEqual([])
    },
    10 * minutes,
  )
})

/** Behind the last ideographs there is nothing before the tags of plane 14, and nothing but private use behind. */
function isAssigned(point: number): boolean {
  return point < 0x33500 || (point >= 0xe0000 && point < 0xe0200)
}
