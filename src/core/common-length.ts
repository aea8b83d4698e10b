/** Gives back how many elements at the start of two lists are the same. Linear in them. */
export function commonLength<T>(one: readonly T[], other: readonly T[]): number {
  const length = Math.min(one.length, other.length)
  let common = 0
  while (common < length && one[common] === other[common]) common++
  return common
}
