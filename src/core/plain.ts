import { invalidConversation } from './errors.ts'

type Fields = Readonly<Record<string, unknown>>

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
  return copyOf(value, { path, above: [], keys: [] })
}

/** Gives back the form that a value has for JSON: what its `toJSON` says, else itself. */
export function jsonForm(value: unknown): unknown {
  const toJSON = (value as { toJSON?: unknown } | null | undefined)?.toJSON // any value may be looked into
  return typeof toJSON === 'function' ? (toJSON as () => unknown).call(value) : value
}

/** Where a copy is: paths are made only for errors, since a large history has tens of thousands of them. */
interface Place {
  readonly path: string
  /** The objects that are being copied, each inside the one before. */
  readonly above: object[]
  /** For each of them the key that is being copied; empty for its own JSON form. */
  readonly keys: (string | number)[]
}

function copyOf(value: unknown, place: Place): unknown {
  if (typeof value === 'object' && value !== null) return copyObject(value, place)
  if (typeof value === 'bigint') throw invalid(place, 'is a bigint, which JSON has no form for')
  return isLeftOut(value) ? undefined : value
}

/** True for what JSON leaves out of objects. */
export function isLeftOut(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol'
}

function copyObject(value: object, place: Place): unknown {
  const { above, keys } = place
  if (above.includes(value)) throw invalid(place, 'contains itself')
  if (above.length >= MAX_DEPTH) throw invalid(place, `is nested deeper than ${MAX_DEPTH}`)
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) throw invalid(place, 'is binary')
  keys[above.push(value) - 1] = ''
  const form = jsonForm(value)
  const copy =
    form !== value
      ? copyOf(form, place)
      : Array.isArray(value)
        ? copyItems(value, place)
        : copyFields(value as Fields, place)
  above.pop()
  return copy
}

/** Holes too: JSON has null for them. */
function copyItems(items: readonly unknown[], place: Place): unknown[] {
  const { above, keys } = place
  const { length } = items
  if (length > MAX_ITEMS) throw invalid(place, `has more than ${MAX_ITEMS} items`)
  const copies: unknown[] = []
  for (let index = 0; index < length; index++) {
    keys[above.length - 1] = index
    copies.push(copyOf(items[index], place) ?? null)
  }
  return copies
}

function copyFields(fields: Fields, place: Place): Fields {
  const { above, keys } = place
  const copy: Record<string, unknown> = {}
  for (const name in fields) {
    if (!Object.hasOwn(fields, name)) continue
    keys[above.length - 1] = name
    const value = copyOf(fields[name], place)
    if (value === undefined) continue
    if (name === '__proto__') {
      // Assignment would call a setter.
      const writable = true
      Object.defineProperty(copy, name, { value, enumerable: true, configurable: true, writable })
    } else copy[name] = value
  }
  return copy
}

function invalid({ path, above, keys }: Place, problem: string): Error {
  const steps = keys.slice(0, above.length)
  const step = (key: string | number) => (typeof key === 'number' ? `[${key}]` : key && `.${key}`)
  return invalidConversation(path + steps.map(step).join(''), problem)
}
