import { expect, test } from 'vitest'
import { formatAgo } from '../../demo/view/when.ts'

const minute = 60_000

test.each([
  [0, 'now'],
  [-5 * minute, 'now'],
  [minute, '1 minute ago'],
  [59 * minute, '59 minutes ago'],
  [61 * minute, '1 hour ago'],
  [25 * 60 * minute, 'yesterday'],
  [72 * 60 * minute, '3 days ago'],
])('%i ms ago is "%s"', (milliseconds, words) => {
  expect(formatAgo(1_000_000_000, 1_000_000_000 + milliseconds)).toBe(words)
})
