import { drawFrom } from '../support/generate/draw.ts'

/** Makes a text of so many UTF-16 units that has no break, or none that helps. */
type LongRun = (units: number) => string

const repeating =
  (unit: string): LongRun =>
  (units) =>
    unit.repeat(Math.floor(units / unit.length))

const random =
  (first: number, range: number): LongRun =>
  (units) => {
    const draw = drawFrom(9)
    const codes = Uint16Array.from({ length: units }, () => first + draw.below(range))
    return Buffer.from(codes.buffer).toString('utf16le')
  }

/** What other tokenizers take quadratic time for (TOKENS 3). */
export const longRuns: Readonly<Record<string, LongRun>> = {
  a: repeating('a'),
  A: repeating('A'),
  é: repeating('é'),
  中: repeating('中'),
  '😀': repeating('😀'),
  'combining marks': repeating('\u0301'),
  'lone surrogates': repeating('\ud800'),
  blanks: repeating(' '),
  'line ends': repeating('\n'),
  'equal signs': repeating('='),
  'random letters': random(97, 26),
  'random ideographs': random(0x4e00, 20_000),
  'random signs': random(0x21, 14),
}
