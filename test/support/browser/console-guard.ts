import { afterEach } from 'vitest'
import { watchErrors } from './watch-errors.ts'

/** Setup file of the browser project: a console error fails the test that caused it. */
const errors = watchErrors(globalThis)

afterEach(() => {
  const seen = errors.take()
  if (seen.length > 0)
    throw new Error(`${seen.length} error(s) on the console: ${seen.join(' | ')}`)
})
