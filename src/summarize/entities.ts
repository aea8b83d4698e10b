/**
 * Exact strings that a later step may need again: paths, ids, addresses, flags, numbers. Types and weights are
 * those of QUALITY 3.2, measured over 26 cut points of real sessions.
 */

/** The type of an exact string, most specific first. */
export type EntityType =
  | 'url'
  | 'email'
  | 'uuid'
  | 'host'
  | 'path'
  | 'hash'
  | 'date'
  | 'errcode'
  | 'flag'
  | 'file'
  | 'id'
  | 'identifier'
  | 'number'

/** An exact string in a text. */
export interface Entity {
  readonly type: EntityType
  readonly text: string
}

/** Weight of a type: how likely such a string is needed again (QUALITY 3.2). */
export const typeWeight: Readonly<Record<EntityType, number>> = {
  path: 1,
  file: 1,
  id: 1,
  host: 1,
  flag: 0.8,
  date: 0.5,
  email: 0.5,
  uuid: 0.5,
  identifier: 0.4,
  number: 0.3,
  hash: 0.3,
  url: 0.3,
  errcode: 0.3,
}

/**
 * One expression a type, tried in this order at each word. All are anchored and free of nested repetition, so
 * that no text makes them slow.
 */
const PATTERNS: readonly (readonly [EntityType, RegExp])[] = [
  ['url', /^https?:\/\/[^\s"'<>]+$/u],
  ['email', /^[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}$/u],
  ['uuid', /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu],
  ['date', /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?$/u],
  [
    'host',
    /^(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,24}:\d{2,5}$|^(?:\d{1,3}\.){3}\d{1,3}(?::\d{2,5})?$/iu,
  ],
  ['flag', /^--?[a-z][\w-]{0,40}(?:=\S{1,80})?$/iu],
  ['path', /^(?:[A-Za-z]:[\\/]|\.{0,2}\/)?[\w@.+-]+(?:[\\/][\w@.+-]+)+\/?$/u],
  ['file', /^[\w@+-][\w@.+-]{0,80}\.[a-z][a-z0-9]{0,5}$/iu],
  ['hash', /^[0-9a-f]{7,64}$/u],
  ['errcode', /^E[A-Z]{3,12}$|^[A-Z]{1,4}-?\d{3,6}$/u],
  ['id', /^(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]*[-_][\w-]+$|^[A-Z][A-Z0-9]*-\d+$/u],
  ['identifier', /^[A-Za-z_]\w*(?:[a-z][A-Z]|_)\w*$/u],
  // Small bare numbers are everywhere and say nothing by themselves.
  ['number', /^[-+]?\d+[.,][\d,.]*\d$|^\d{4,}$/u],
]

/** Words longer than this are content, not names. */
const MAX_LENGTH = 200
const TRAILING = /[.:!?…]+$/u

/** What every exact string has and hardly a word of prose: most words need no further look. */
const TELLING = /[\d./\\:@_-]|.[A-Z]/u

/** What a code unit says of the word it stands in. */
const PLAIN = 0
const ENDS_IT = 1
const TELLS = 2
const CAPITAL = 3

/** Blanks, quotes, brackets and what stands between values end a word. */
const ENDING = /[\s"'`()[\]{}<>,;|=]/u
const ASCII = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (ENDING.test(character)) return ENDS_IT
  if (/[A-Z]/u.test(character)) return CAPITAL
  return TELLING.test(character) ? TELLS : PLAIN
})

/** Gives back the exact strings of a text, in order, repetitions included. Linear in the length. */
export function entitiesOf(text: string): readonly Entity[] {
  const found: Entity[] = []
  let from = 0
  let tells = false
  for (let at = 0; at <= text.length; at++) {
    const kind = at < text.length ? kindOf(text, at) : ENDS_IT
    if (kind === ENDS_IT) {
      const entity = tells && at - from <= MAX_LENGTH ? entityOf(text.slice(from, at)) : undefined
      if (entity) found.push(entity)
      from = at + 1
      tells = false
    } else if (kind === TELLS || (kind === CAPITAL && at > from)) tells = true
  }
  return found
}

function kindOf(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code < 128) return ASCII[code] ?? PLAIN
  return code >= 0xa0 && isWideBlank(code) ? ENDS_IT : PLAIN
}

/** White space beyond ASCII, as `\s` has it (ECMAScript, WhiteSpace and LineTerminator). */
function isWideBlank(code: number): boolean {
  if (code < 0x1680) return code === 0xa0
  if (code >= 0x2000 && code <= 0x200a) return true
  return [0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff].includes(code)
}

function entityOf(untrimmed: string): Entity | undefined {
  const word = untrimmed.replace(TRAILING, '')
  if (word.length < 2 || !TELLING.test(word)) return undefined
  for (const [type, pattern] of PATTERNS) {
    if (pattern.test(word) && isPlausible(type, word)) return { type, text: word }
  }
  return undefined
}

function isPlausible(type: EntityType, word: string): boolean {
  if (type === 'hash') return /\d/u.test(word) && /[a-f]/u.test(word)
  if (type === 'path') return !/^\d+\/\d+$/u.test(word)
  return true
}
