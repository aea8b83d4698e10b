import { expect, test } from 'vitest'
import { ProviderRefusal } from '../../demo/chat/exchange.ts'
import { describeFailure } from '../../demo/chat/failure.ts'

/** An error from another realm: recognised by its code alone. */
function coded(code: string, message: string, details = {}): Error {
  return Object.assign(new Error(message), { code, details })
}

test.each([
  ['overhead', 'The system text and the tools alone are larger than the limit'],
  ['newest', 'The newest messages alone are larger than the limit'],
  ['floor', 'What may never be left out'],
])('cannot-fit for %s is explained with its numbers', (cause, start) => {
  const words = describeFailure(
    coded('cannot-fit', 'no', { cause, floorTokens: 9000, limitTokens: 3584, name: 'x' }),
  )
  expect(words.title).toBe('This request cannot be made to fit')
  expect(words.text.startsWith(start)).toBe(true)
  expect(words.facts).toEqual([
    ['Floor (tokens)', '9,000'],
    ['Limit (tokens)', '3,584'],
  ])
})

test('a refusal of the provider keeps its words', () => {
  const refusal = new ProviderRefusal(400, 'context_length_exceeded', 'maximum context length')
  expect(describeFailure(refusal)).toMatchObject({
    title: 'The model refused the request: too long',
    text: 'maximum context length',
  })
})

test('anything else is shown as it is', () => {
  expect(describeFailure('odd').text).toBe('odd')
  expect(describeFailure(new Error('boom'))).toEqual({
    title: 'Something went wrong',
    text: 'boom',
    facts: [],
  })
})
