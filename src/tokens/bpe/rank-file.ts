import { type Encoding, encodings } from '../../core/encoding.ts'
import { TampError } from '../../core/errors.ts'
import { decodeClasses } from './character-class.ts'
import type { RankTable } from './vocabulary.ts'

/** The bytes of a rank file, and where they were got. */
export interface RankBytes {
  readonly bytes: Uint8Array
  /** `undefined` where the app handed in the bytes. */
  readonly url?: string | undefined
}

/** What a rank file holds. */
export interface RankFile extends RankTable {
  /** The class of each code point (`character-class.ts`). */
  readonly classes: Uint8Array
}

/** The format is told where the files are made: `.ci/ranks.mjs`. */
const MAGIC = 'tampRank'
const VERSION = 1
const HEADER_BYTES = 32
const SINGLE_BYTES = 256

/**
 * Reads a rank file. Throws `ranks-unavailable` where it is none, is of another version or encoding, or is cut short:
 * servers are known to answer with a page of their own and status 200.
 */
export function readRankFile(encoding: Encoding, { bytes, url }: RankBytes): RankFile {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const problem = problemOf(encoding, view)
  if (problem !== undefined) {
    const what = url === undefined ? 'what was handed in' : url
    const message = `${what} is no rank file of ${encoding}: ${problem}`
    throw new TampError('ranks-unavailable', message, { encoding, url, cause: problem })
  }
  const tokens = view.getUint32(16, true)
  const singlesAt = HEADER_BYTES + view.getUint32(20, true)
  const pairsAt = singlesAt + SINGLE_BYTES
  return {
    classes: decodeClasses(bytes.subarray(HEADER_BYTES, singlesAt)),
    byteOfRank: bytes.slice(singlesAt, pairsAt),
    ...decodePairs(bytes.subarray(pairsAt), tokens),
  }
}

function problemOf(encoding: Encoding, view: DataView): string | undefined {
  if (view.byteLength < HEADER_BYTES || textOf(view, MAGIC.length) !== MAGIC) {
    return `it begins with ${JSON.stringify(textOf(view, Math.min(MAGIC.length, view.byteLength)))}`
  }
  const version = view.getUint16(8, true)
  if (version !== VERSION) return `it has version ${version}, ${VERSION} is read`
  const held = encodings[view.getUint16(10, true)]
  if (held !== encoding) return `it holds ${held}`
  const length = view.getUint32(12, true)
  return view.byteLength === length ? undefined : `it has ${view.byteLength} of ${length} bytes`
}

function textOf(view: DataView, length: number): string {
  return String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset, length))
}

/** Puts the columns of the pairs together again. */
function decodePairs(columns: Uint8Array, tokens: number): Pick<RankTable, 'left' | 'right'> {
  const left = new Int32Array(tokens)
  const right = new Int32Array(tokens)
  const pairs = tokens - SINGLE_BYTES
  for (let pair = 0; pair < pairs; pair++) {
    const high = (columns[4 * pairs + (pair >> 1)] ?? 0) >> (pair % 2 === 0 ? 0 : 4)
    left[SINGLE_BYTES + pair] =
      (columns[pair] ?? 0) | ((columns[pairs + pair] ?? 0) << 8) | ((high & 3) << 16)
    right[SINGLE_BYTES + pair] =
      (columns[2 * pairs + pair] ?? 0) |
      ((columns[3 * pairs + pair] ?? 0) << 8) |
      (((high >> 2) & 3) << 16)
  }
  return { left, right }
}
