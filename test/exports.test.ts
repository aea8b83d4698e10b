import { expect, test } from 'vitest'
import * as tamp from '../src/index.ts'

/** Every name is a promise to users: a change here is a line in the changelog. */
const exportedValues = [
  'CHECKPOINT_END',
  'CHECKPOINT_START',
  'SUMMARY_HEADINGS',
  'SUMMARY_SYSTEM',
  'TampError',
  'createTamp',
  'defaultRefusalPrefixes',
  'defaultTools',
  'summaryInstruction',
]

test('the package exports these values and no others', () => {
  expect(Object.keys(tamp).sort()).toEqual(exportedValues)
})
