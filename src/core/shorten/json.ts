import { characterCount, firstCharacters, utf8Length } from './characters.ts'
import { type GapTexts, hasGap } from './gap.ts'
import { clipMiddle } from './lines.ts'

/**
 * Shortens JSON without reading its numbers: what stays is copied as spelled, so that `1.10` and integers
 * above 2^53 keep their digits (KNOWN-FAILURES D45).
 */

type Node =
  | { readonly type: 'object'; readonly entries: readonly (readonly [key: string, value: Node])[] }
  | { readonly type: 'array'; readonly items: readonly Node[] }
  | { readonly type: 'string'; readonly raw: string }
  | { readonly type: 'scalar'; readonly raw: string }

/** Deeper values are copied as they are or left out: no tool nests so deep, and recursion must end. */
const MAX_DEPTH = 60
/** Strings up to this many characters stay (SEEDS Z5a). */
const SHORT_STRING = 20
/** Strings without a space and at least this entropy, in bits a character, stay: ids, hashes, paths (Z5a). */
const ID_ENTROPY = 3.0
/** The first elements of an array follow the rule; the others go if they hold strings (Z5a). */
const KEPT_ITEMS = 3
/** Lengths to which strings are cut, tried in this order until the whole fits. */
const STRING_LENGTHS = [160, 80, 40, 20] as const

/** A string that an earlier shortening left is its head and a gap; one that merely spells a gap may be longer. */
const MAX_GAP_LENGTH = 140

const NOTABLE = /error|fail|exception/iu

/**
 * Gives back a shorter JSON text for a text that parses as JSON, of at most `budgetBytes` where the rules
 * allow it: keys, numbers, booleans, null, short strings and ids always stay. `undefined` where the text is
 * no JSON object or array.
 */
export function shortenJson(text: string, budgetBytes: number, gaps: GapTexts): string | undefined {
  const node = readJson(text)
  if (node?.type !== 'object' && node?.type !== 'array') return undefined
  let shortest = text
  for (const stringLength of STRING_LENGTHS) {
    const writer: Writer = { gaps, stringLength, room: budgetBytes }
    const short = write(node, writer, 0)
    if (utf8Length(short) <= budgetBytes) return short
    if (short.length < shortest.length) shortest = short
  }
  return shortest
}

/**
 * Gives back a JSON text in which only string values of more than `longBytes` UTF-8 bytes are cut, to about
 * `toBytes`; keys and all other values keep their spelling. `undefined` where the text is no JSON object.
 */
export function shortenLongStrings(
  text: string,
  longBytes: number,
  toBytes: number,
  gaps: GapTexts,
): string | undefined {
  const node = readJson(text)
  return node?.type === 'object' ? cutStrings(node, longBytes, toBytes, gaps) : undefined
}

function cutStrings(node: Node, longBytes: number, toBytes: number, gaps: GapTexts): string {
  const cut = (inner: Node) => cutStrings(inner, longBytes, toBytes, gaps)
  switch (node.type) {
    case 'object':
      return `{${node.entries.map(([key, value]) => `${key}:${cut(value)}`).join(',')}}`
    case 'array':
      return `[${node.items.map(cut).join(',')}]`
    case 'string': {
      const value = JSON.parse(node.raw) as string // the reader took it for a string
      return utf8Length(value) > longBytes
        ? JSON.stringify(clipMiddle(value, toBytes, gaps))
        : node.raw
    }
    case 'scalar':
      return node.raw
    default:
      return node satisfies never
  }
}

interface Writer {
  readonly gaps: GapTexts
  readonly stringLength: number
  /** Bytes that elements beyond the first three of arrays may still take, all arrays together. */
  room: number
}

function write(node: Node, writer: Writer, depth: number): string {
  if (depth > MAX_DEPTH) return rawOf(node)
  switch (node.type) {
    case 'object':
      return `{${node.entries.map(([key, value]) => `${key}:${write(value, writer, depth + 1)}`).join(',')}}`
    case 'array':
      return writeArray(node.items, writer, depth)
    case 'string':
      return shortenString(node.raw, writer)
    case 'scalar':
      return node.raw
    default:
      return node satisfies never
  }
}

function writeArray(items: readonly Node[], writer: Writer, depth: number): string {
  const head = items.slice(0, KEPT_ITEMS).map((item) => write(item, writer, depth + 1))
  if (items.length <= KEPT_ITEMS) return `[${head.join(',')}]`
  writer.room -= utf8Length(head.join(','))
  const rest = items.slice(KEPT_ITEMS).map((item) => keptItem(item, writer, depth))
  const gone = rest.filter((item) => item === undefined).length
  const gap = rest.indexOf(undefined)
  const texts = rest.map((item, index) =>
    index === gap ? JSON.stringify(writer.gaps.items(gone, items.length)) : item,
  )
  return `[${[...head, ...texts.filter((item) => item !== undefined)].join(',')}]`
}

/** What stays of an element beyond the first three: notable records first, then what holds no strings. */
function keptItem(item: Node, writer: Writer, depth: number): string | undefined {
  const raw = rawOf(item)
  if (item.type === 'string' && raw.length <= MAX_GAP_LENGTH && hasGap(raw)) return raw
  const notable = item.type !== 'scalar' && NOTABLE.test(raw)
  if (!notable && holdsString(item)) return undefined
  const text = write(item, writer, depth + 1)
  if (utf8Length(text) > writer.room / 2) return undefined
  writer.room -= utf8Length(text) + 1
  return text
}

function holdsString(node: Node): boolean {
  switch (node.type) {
    case 'string':
      return true
    case 'scalar':
      return false
    case 'array':
      return node.items.some(holdsString)
    case 'object':
      return node.entries.some(([, value]) => holdsString(value))
    default:
      return node satisfies never
  }
}

function rawOf(node: Node): string {
  switch (node.type) {
    case 'string':
    case 'scalar':
      return node.raw
    case 'array':
      return `[${node.items.map(rawOf).join(',')}]`
    case 'object':
      return `{${node.entries.map(([key, value]) => `${key}:${rawOf(value)}`).join(',')}}`
    default:
      return node satisfies never
  }
}

function shortenString(raw: string, writer: Writer): string {
  const text = JSON.parse(raw) as string // the reader took it for a string
  const length = characterCount(text)
  const isShort = length <= writer.stringLength + MAX_GAP_LENGTH && hasGap(text)
  if (length <= SHORT_STRING || isShort || isIdentifier(text)) return raw
  const head = firstCharacters(text, writer.stringLength)
  const gone = length - characterCount(head)
  const short = JSON.stringify(`${head} ${writer.gaps.characters(gone)}`)
  return gone > 0 && short.length < raw.length ? short : raw
}

/** Ids longer than this are no ids but content without spaces, base64 for instance. */
const MAX_IDENTIFIER = 200

function isIdentifier(text: string): boolean {
  return text.length <= MAX_IDENTIFIER && !text.includes(' ') && entropy(text) >= ID_ENTROPY
}

function entropy(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  const total = characterCount(text)
  let bits = 0
  for (const count of counts.values()) bits -= (count / total) * Math.log2(count / total)
  return bits
}

/** Reads a text that is JSON into nodes that keep its spelling; `undefined` where it is no JSON. */
function readJson(text: string): Node | undefined {
  try {
    JSON.parse(text)
  } catch {
    return undefined // not JSON is an answer, not a failure
  }
  return new Reader(text).value(0)
}

/** A cursor over text that is known to be JSON, so nothing is checked again. */
class Reader {
  private readonly text: string
  private at = 0

  constructor(text: string) {
    this.text = text
  }

  value(depth: number): Node {
    this.skipBlanks()
    const first = this.text[this.at]
    if (first === '"') return { type: 'string', raw: this.string() }
    if ((first !== '{' && first !== '[') || depth > MAX_DEPTH)
      return { type: 'scalar', raw: this.raw() }
    return first === '{' ? this.object(depth) : this.array(depth)
  }

  private object(depth: number): Node {
    const entries: [string, Node][] = []
    for (this.at++; !this.ends('}'); ) {
      const key = this.string()
      this.skipBlanks()
      this.at++ // the colon
      entries.push([key, this.value(depth + 1)])
    }
    return { type: 'object', entries }
  }

  private array(depth: number): Node {
    const items: Node[] = []
    for (this.at++; !this.ends(']'); ) items.push(this.value(depth + 1))
    return { type: 'array', items }
  }

  /** Steps over blanks and a comma; true at the closing bracket, which it steps over too. */
  private ends(bracket: string): boolean {
    this.skipBlanks()
    if (this.text[this.at] === ',') this.at++
    this.skipBlanks()
    if (this.text[this.at] !== bracket) return false
    this.at++
    return true
  }

  private string(): string {
    const from = this.at++
    while (this.text[this.at] !== '"') this.at += this.text[this.at] === '\\' ? 2 : 1
    return this.text.slice(from, ++this.at)
  }

  /** A number, a word, or a value too deep to be read, whole. */
  private raw(): string {
    const from = this.at
    let open = 0
    for (; this.at < this.text.length; this.at++) {
      const character = this.text[this.at] ?? ''
      if (character === '"') {
        this.string()
        this.at--
      } else if ('{['.includes(character)) open++
      else if (open === 0 && ',]} \n\r\t'.includes(character)) break
      else if ('}]'.includes(character) && --open === 0) {
        this.at++
        break
      }
    }
    return this.text.slice(from, this.at)
  }

  private skipBlanks(): void {
    while (this.at < this.text.length && ' \n\r\t'.includes(this.text[this.at] ?? '')) this.at++
  }
}
