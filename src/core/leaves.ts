import { isLeftOut, jsonForm } from './plain.ts'

/**
 * A plain copy (`plainCopy`) as it is compared: the names of an object in order, none for an array, and what stands
 * there. So taken apart, a history of thousands of messages is compared in a millisecond.
 */
export interface Leaves {
  readonly names: readonly string[] | undefined
  readonly values: readonly unknown[]
}

/** Gives back a plain copy taken apart; a leaf is itself. */
export function leavesOf(copy: unknown): unknown {
  if (typeof copy !== 'object' || copy === null) return copy
  const names = Array.isArray(copy) ? undefined : Object.keys(copy)
  const leaves: Leaves = { names, values: Object.values(copy).map(leavesOf) }
  return leaves
}

/**
 * True where a live value still carries what its plain copy did. Compares leaf by leaf: apps mutate in place,
 * frameworks hand in proxies, so the identity of an object says nothing. Strings that were kept by reference compare
 * at once. Linear in the value; makes nothing, since each request compares a whole history.
 */
export function carriesLeaves(value: unknown, leaves: unknown): boolean {
  return sameValue(value, leaves, 0)
}

/** No copy is deeper (`plainCopy`); forms that give back forms end here. */
const MAX_DEPTH = 250

function sameValue(value: unknown, leaves: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) {
    return !isLeftOut(value) && typeof value !== 'bigint' && Object.is(value, leaves)
  }
  if (depth > MAX_DEPTH) return false
  const form = jsonForm(value)
  if (form !== value) return sameValue(form, leaves, depth + 1)
  if (typeof leaves !== 'object' || leaves === null) return false
  const { names, values } = leaves as Leaves // what is no leaf
  if (Array.isArray(value)) return names === undefined && sameItems(value, values, depth + 1)
  if (names === undefined || ArrayBuffer.isView(value)) return false
  return sameFields(value as Fields, names, values, depth + 1) // an object by the checks before
}

type Fields = Readonly<Record<string, unknown>>

function sameItems(items: readonly unknown[], values: readonly unknown[], depth: number): boolean {
  if (items.length !== values.length) return false
  for (let index = 0; index < items.length; index++) {
    const item = items[index]
    // JSON has null for holes and for what it leaves out of objects.
    if (!sameValue(isLeftOut(item) ? null : item, values[index], depth)) return false
  }
  return true
}

/** The order of keys counts: the copy goes out where an edit touches the message. */
function sameFields(
  fields: Fields,
  names: readonly string[],
  values: readonly unknown[],
  depth: number,
): boolean {
  // The names of other objects may be inherited, which JSON leaves out.
  const isPlain = Object.getPrototypeOf(fields) === Object.prototype
  let at = 0
  for (const name in fields) {
    if (!isPlain && !Object.hasOwn(fields, name)) continue
    const field = fields[name]
    // Strings are nearly all that a history has: they take the shortest way.
    const isText = typeof field === 'string'
    if (!isText && isLeftOut(field)) continue
    if (names[at] !== name) return false
    const value = values[at++]
    if (isText ? field !== value : !sameValue(field, value, depth)) return false
  }
  return at === names.length
}

/** What an object or a number is counted as when it crosses, in bytes. */
const NODE_BYTES = 16

/** Gives back about how many bytes a plain copy takes when it crosses a boundary. Errs upward. */
export function crossingBytes(copy: unknown): number {
  if (typeof copy === 'string') return copy.length * 2 + NODE_BYTES
  let bytes = NODE_BYTES
  if (typeof copy !== 'object' || copy === null) return bytes
  if (Array.isArray(copy)) for (const item of copy) bytes += crossingBytes(item)
  else {
    for (const name in copy) {
      bytes += name.length * 2 + crossingBytes((copy as Fields)[name]) // an object by the checks before
    }
  }
  return bytes
}
