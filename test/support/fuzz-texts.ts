import type { CorpusName } from './corpora.ts'
import type { Draw } from './generate/draw.ts'

type Corpora = Readonly<Record<CorpusName, string>>
type Kind = (draw: Draw) => string

const between =
  (first: number, last: number): Kind =>
  (draw) =>
    String.fromCodePoint(first + draw.below(last - first + 1))
const oneOf =
  (...choices: readonly string[]): Kind =>
  (draw) =>
    draw.pick(choices)
const points = (...codePoints: readonly number[]): Kind =>
  oneOf(...codePoints.map((point) => String.fromCodePoint(point)))

/** Everything that the split rules tell apart, and what other tokenizers were seen to get wrong (TOKENS 1). */
const kinds: readonly Kind[] = [
  between(0, 31),
  between(32, 126),
  between(97, 122),
  between(65, 90),
  between(48, 57),
  between(0xa1, 0x5a0),
  between(0, 0xd7ff),
  between(0xe000, 0xffff),
  between(0x10000, 0x2ffff),
  between(0xd800, 0xdfff),
  between(0x3041, 0x30ff),
  between(0x4e00, 0x9fff),
  between(0xac00, 0xd7a3),
  between(0x1c4, 0x1cc),
  points(0x300, 0x301, 0x308, 0x327, 0x20dd, 0x483, 0x591, 0x64b, 0x93c, 0x1ab0, 0xfe0f, 0x200d),
  points(9, 10, 11, 12, 13, 32, 0x85, 0xa0, 0x1680, 0x2003, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000),
  points(0x660, 0x967, 0x2460, 0xb2, 0x2167, 0x1d7ce, 0xfeff, 0x180e, 0x212a),
  oneOf('ǅ', 'ᾈ', 'ʰ', 'ª', 'ー', '々', 'ſ', 'ẞ', 'İ', 'ı'),
  oneOf("'s", "'S", "'ll", "'LL", "'Re", "'ve", "'d", "'M", "'T", "'l", "'r", "'ſ", "'"),
  oneOf('/', '\n/', '/\r\n', '//', '\r', '\r\n', '\n\n', ' ', '  ', '\t', ' \n'),
  oneOf('👨‍👩‍👧', '🏽', '🇯🇵', '❤️', '1️⃣', '😀'),
  oneOf('the', ' the', 'constructor', '__proto__', 'valueOf', 'HTTPServer', 'camelCase', 'ABC'),
  oneOf('<|endoftext|>', '<|im_start|>', '<|fim_prefix|>', '<|endofprompt|>', '<|', '|>'),
]

const many = (draw: Draw, most: number, piece: () => string): string =>
  Array.from({ length: 1 + draw.below(most) }, piece).join('')

/** Gives back a text to count: a run, a long word, blanks, a mix of some kinds, or a piece of a corpus. */
export function fuzzText(draw: Draw, corpora: Corpora): string {
  const kind = draw.pick(kinds)
  const shape = draw.below(10)
  if (shape === 0) return kind(draw).repeat(1 + draw.below(300))
  if (shape === 1) return many(draw, 400, () => kind(draw))
  if (shape === 2) return pieceOf(draw, draw.pick(Object.values(corpora)))
  const some = Array.from({ length: 1 + draw.below(4) }, () => draw.pick(kinds))
  const mix = many(draw, 60, () => draw.pick(some)(draw))
  return shape === 3 ? mix + pieceOf(draw, draw.pick(Object.values(corpora))) + mix : mix
}

function pieceOf(draw: Draw, text: string): string {
  const from = draw.below(text.length - 60)
  return text.slice(from, from + 1 + draw.below(60))
}
