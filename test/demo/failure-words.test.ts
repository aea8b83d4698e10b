import { expect, test } from 'vitest'
import { ProviderRefusal } from '../../demo/chat/exchange.ts'
import { describeFailure, describeImportFailure } from '../../demo/chat/failure.ts'

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

test.each([
  [
    'tamp',
    'This is no exported conversation',
    'Choose a file that Export wrote. A list of messages is opened with Open file.',
  ],
  ['checksum', 'This exported conversation is damaged', 'checksum does not match the entries'],
])('an import that fails at %s is explained', (path, title, text) => {
  const fault = coded('invalid-conversation', `${path} does not match the entries`, { path })
  expect(describeImportFailure(fault)).toEqual({ title, text, facts: [] })
})

test('anything else is shown as it is', () => {
  expect(describeFailure('odd').text).toBe('odd')
  expect(describeFailure(new Error('boom'))).toEqual({
    title: 'Something went wrong',
    text: 'boom',
    facts: [],
  })
})
