import { isLeftOut, jsonForm } from './plain.ts'

/**
 * True where a live value still carries what its plain copy (`plainCopy`) carries. Compares leaf by leaf: apps mutate
 * in place, frameworks hand in proxies, so the identity of an object says nothing. Strings that were kept by
 * reference compare at once. Linear in the value; makes next to nothing, since each request compares a whole history.
 */
export function carriesSame(value: unknown, copy: unknown): boolean {
  return sameValue(value, copy, 0)
}

/** No copy is deeper (`plainCopy`); forms that give back forms end here. */
const MAX_DEPTH = 250

function sameValue(value: unknown, copy: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) {
    return !isLeftOut(value) && typeof value !== 'bigint' && Object.is(value, copy)
  }
  if (depth > MAX_DEPTH) return false
  const form = jsonForm(value)
  if (form !== value) return sameValue(form, copy, depth + 1)
  if (typeof copy !== 'object' || copy === null) return false
  if (Array.isArray(value)) return Array.isArray(copy) && sameItems(value, copy, depth + 1)
  if (Array.isArray(copy) || ArrayBuffer.isView(value)) return false
  return sameFields(value as Fields, copy as Fields, depth + 1) // objects by the checks before
}

type Fields = Readonly<Record<string, unknown>>

function sameItems(items: readonly unknown[], copies: readonly unknown[], depth: number): boolean {
  if (items.length !== copies.length) return false
  for (let index = 0; index < items.length; index++) {
    const item = items[index]
    // JSON has null for holes and for what it leaves out of objects.
    if (!sameValue(isLeftOut(item) ? null : item, copies[index], depth)) return false
  }
  return true
}

/** The order of keys counts: the copy goes out where an edit touches the message. */
function sameFields(value: Fields, copy: Fields, depth: number): boolean {
  const names = Object.keys(copy)
  let at = 0
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue
    const field = value[name]
    // Strings are nearly all that a history has: they take the shortest way.
    const isText = typeof field === 'string'
    if (!isText && isLeftOut(field)) continue
    if (names[at++] !== name) return false
    if (isText ? field !== copy[name] : !sameValue(field, copy[name], depth)) return false
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
