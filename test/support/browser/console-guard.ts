import { afterEach } from 'vitest'
import { takeExpectedErrors } from './expected-errors.ts'
import { watchErrors } from './watch-errors.ts'

/**
 * Setup file of the browser project: a console error fails the test that caused it, unless the test
 * said so with `expectErrors`.
 */
const errors = watchErrors(globalThis)

afterEach(() => {
  const expected = takeExpectedErrors()
  const seen = errors.take().filter((text) => !expected.some((pattern) => pattern.test(text)))
  if (seen.length > 0)
    throw new Error(`${seen.length} error(s) on the console: ${seen.join(' | ')}`)
})
