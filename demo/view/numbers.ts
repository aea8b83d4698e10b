const grouped = new Intl.NumberFormat('en')

/** Gives back a number with its thousands grouped: `8,192`. */
export function formatNumber(value: number): string {
  return grouped.format(value)
}

/** Gives back a count with its noun: `1 message`, `2 messages`. The plural is told where an `s` does not make it. */
export function formatCount(value: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(value)} ${value === 1 ? noun : plural}`
}

/** Gives back a duration in whole milliseconds, at least one. */
export function formatMilliseconds(value: number): string {
  return `${formatNumber(Math.max(1, Math.round(value)))} ms`
}
