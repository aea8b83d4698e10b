/** True for an object that has one of the fields. */
export function has(value: unknown, ...names: readonly string[]): boolean {
  return typeof value === 'object' && value !== null && names.some((name) => name in value)
}

/** Gives back a field of anything; `undefined` where it has none. */
export function fieldOf(value: unknown, name: string): unknown {
  return (value as Readonly<Record<string, unknown>> | null | undefined)?.[name] // any value may be looked into
}

/** True for a list that holds what is looked for. */
export function holds(list: unknown, isWanted: (item: unknown) => boolean): boolean {
  return Array.isArray(list) && list.some(isWanted)
}

/** True for a name of the pattern: JSON may hold anything in its place. */
export function isNamed(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value)
}
