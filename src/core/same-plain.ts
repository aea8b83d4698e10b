/**
 * True where two plain values (`plainCopy`) say the same: the same leaves under the same names in the same order.
 * Linear in them.
 */
export function samePlain(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) {
    return Object.is(one, other)
  }
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const names = Object.keys(one)
  const others = Object.keys(other)
  if (names.length !== others.length) return false
  const [fields, otherFields] = [one as Fields, other as Fields] // objects by the checks before
  return names.every(
    (name, at) => others[at] === name && samePlain(fields[name], otherFields[name]),
  )
}

type Fields = Readonly<Record<string, unknown>>
