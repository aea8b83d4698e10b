import { invalidConversation } from './errors.ts'

/** Deeper nesting than this is refused: no message nests so deep, and a copy must end. */
const MAX_DEPTH = 200
/** No request holds more; a sparse array of any length is made by one assignment. */
export const MAX_ITEMS = 2_000_000

/**
 * Gives back a copy of a value that is nothing but plain objects, arrays and leaves, as JSON would carry it:
 * functions, symbols and `undefined` are left out, `toJSON` is asked, proxies of frameworks are read through.
 * Keys such as `__proto__` are data. Throws `invalid-conversation` with the path for cycles, for nesting deeper
 * than 200 and for what JSON has no form for (bigint, binary). Linear in the value.
 */
export function plainCopy(value: unknown, path: string): unknown {
  return copy(value, path, [])
}

function copy(value: unknown, path: string, above: readonly object[]): unknown {
  switch (typeof value) {
    case 'object':
      return value === null ? null : copyObject(value, path, above)
    case 'string':
    case 'number':
    case 'boolean':
      return value
    case 'bigint':
      throw invalidConversation(path, 'is a bigint, which JSON has no form for')
    default:
      return undefined
  }
}

function copyObject(value: object, path: string, above: readonly object[]): unknown {
  if (above.includes(value)) throw invalidConversation(path, 'contains itself')
  if (above.length >= MAX_DEPTH)
    throw invalidConversation(path, `is nested deeper than ${MAX_DEPTH}`)
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
    throw invalidConversation(path, 'is binary')
  const inside = [...above, value]
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return copy(value.toJSON(), path, inside)
  if (Array.isArray(value)) {
    if (value.length > MAX_ITEMS)
      throw invalidConversation(path, `has more than ${MAX_ITEMS} items`)
    // Holes too: JSON has null for them.
    return Array.from(value, (item, index) => copy(item, `${path}[${index}]`, inside) ?? null)
  }
  const plain: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) {
    const copied = copy(item, `${path}.${key}`, inside)
    // Assignment would call the setter of `__proto__`.
    if (copied !== undefined) {
      Object.defineProperty(plain, key, {
        value: copied,
        enumerable: true,
        configurable: true,
        writable: true,
      })
    }
  }
  return plain
}
