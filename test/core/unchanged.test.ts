import { expect, it } from 'vitest'
import { adapterFor } from '../../src/adapters/index.ts'
import { readRequest } from '../../src/adapters/read-request.ts'
import { applyEdits, type Edit } from '../../src/core/edit.ts'
import { unchangedUnits } from '../../src/core/unchanged.ts'
import { openai } from '../support/build.ts'

const { user, assistant } = openai
const request = { messages: [user('one'), assistant('two'), user('three'), assistant('four')] }
const { view } = readRequest(adapterFor(request, 'openai-chat'), request)
const base = { pass: 'test', reason: 'test', tokensBefore: 0, tokensAfter: 0 }

const rewrite = (seq: number, text: string): Edit => ({
  ...base,
  type: 'rewrite',
  seq,
  part: 0,
  text,
})
const removal = (seq: number): Edit => ({ ...base, type: 'remove', seq })
const viewWith = (...edits: Edit[]) => applyEdits(view, edits)

it.each([
  ['all of the same view', viewWith(), viewWith(), 4],
  ['equal edits made anew', viewWith(rewrite(1, '2')), viewWith(rewrite(1, '2')), 4],
  ['what stands before another text', viewWith(rewrite(1, '2')), viewWith(rewrite(1, '3')), 1],
  ['what stands before a message that left', viewWith(), viewWith(removal(2)), 2],
  ['what stands before a message that joined', viewWith(removal(1)), viewWith(), 1],
  ['nothing behind a first message that changed', viewWith(), viewWith(rewrite(0, '1')), 0],
] as const)('keeps %s', (_, before, after, kept) => {
  expect(unchangedUnits(before, after)).toBe(kept)
})

it('joins only among the first originals where a depth is given', () => {
  const joined = (joinDepth?: number) =>
    applyEdits(joinDepth === undefined ? view : { ...view, joinDepth }, [removal(1)]).units.map(
      (unit) => unit.joined === true,
    )
  expect(joined()).toEqual([false, true, false])
  expect(joined(3)).toEqual([false, true, false])
  expect(joined(2)).toEqual([false, false, false])
})
