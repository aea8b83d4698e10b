const spans = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** Gives back how long ago something was: `5 minutes ago`. Clocks that jumped make it `now`. */
export function formatAgo(at: number, now: number): string {
  for (const [unit, milliseconds] of spans) {
    const count = Math.floor((now - at) / milliseconds)
    if (count > 0) return relative.format(-count, unit)
  }
  return 'now'
}
