/** Gives back the index of the item with this key in a list whose keys ascend; -1 where there is none. Logarithmic. */
export function indexOfKey<T>(
  items: readonly T[],
  key: number,
  keyOf: (item: T) => number,
): number {
  let from = 0
  let to = items.length - 1
  while (from <= to) {
    const middle = (from + to) >> 1
    const found = keyOf(items[middle] as T) // between the ends
    if (found === key) return middle
    if (found < key) from = middle + 1
    else to = middle - 1
  }
  return -1
}
