import { invalidConversation } from '../core/errors.ts'

/** Any JSON object of a provider, looked into field by field. */
export type Fields = Readonly<Record<string, unknown>>

/** Gives back the value as an object; throws `invalid-conversation` with the path where it is none. */
export function asFields(value: unknown, path: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidConversation(path, 'is not an object')
  }
  return value as Fields // checked one line up
}

/** Gives back the value as a list; throws `invalid-conversation` with the path where it is none. */
export function asList(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw invalidConversation(path, 'is not an array')
  return value
}

/** Gives back the value as a text that is not empty; throws `invalid-conversation` with the path otherwise. */
export function asId(value: unknown, path: string): string {
  if (typeof value !== 'string' || value === '') throw invalidConversation(path, 'is missing')
  return value
}

/** Gives back a name as a text, whatever stands there: JSON may hold anything in its place. */
export function nameOf(value: unknown): string {
  return typeof value === 'string' ? value : jsonOf(value)
}

/** Gives back the value where it is a text, else `undefined`. */
export function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Gives back a limit on tokens where it is one. */
export function tokenLimit(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined
}

/** JSON of a value as a provider would receive it; empty for what JSON leaves out. */
export function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? ''
}

/** Size of base64 content in bytes, from a data URL or the bare text; 0 for other URLs. */
export function base64Bytes(source: string): number {
  const isData = source.startsWith('data:')
  if (!isData && /^[a-z]+:/iu.test(source)) return 0
  return Math.floor(((source.length - (isData ? source.indexOf(',') + 1 : 0)) * 3) / 4)
}

/** Media type of a data URL; `fallback` for other URLs. */
export function mediaTypeOf(url: string, fallback: string): string {
  return /^data:([^;,]+)/u.exec(url)?.[1] ?? fallback
}

/** Gives back the object without some of its fields, the order of the others kept. */
export function without(fields: Fields, ...names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
}

/** Gives back the object with a field replaced in its place, or added at the end. */
export function withField(fields: Fields, name: string, value: unknown): Record<string, unknown> {
  return { ...fields, [name]: value }
}

/** A message content that is still one text, or a list of native blocks. */
export type Content =
  | { readonly type: 'string'; readonly text: string }
  | { readonly type: 'list'; readonly blocks: readonly unknown[] }

/** What stands between texts that are joined into one string. */
const BLANK_LINE = '\n\n'

/** Joins contents in order: texts stay one string, anything else makes a list of blocks. */
export function joinContents(contents: readonly Content[]): string | unknown[] {
  if (contents.every((content) => content.type === 'string')) {
    return contents.map((content) => content.text).join(BLANK_LINE)
  }
  return contents.flatMap((content) =>
    content.type === 'string' ? [{ type: 'text', text: content.text }] : content.blocks,
  )
}
