import { describe, expect, test } from 'vitest'
import { meterView } from '../../demo/view/meter.ts'
import { measured } from './fake-tamp.ts'

const parts = { windowTokens: 8192, reserveTokens: 1024 }

test('starts at zero of the window, never at a question mark', () => {
  const view = meterView(undefined, parts)
  expect(view.text).toBe('0 / 8,192')
  expect(view.segments.filter((segment) => segment.tokens > 0)).toEqual([
    { name: 'reserve', label: 'Kept for the answer', tokens: 1024 },
    { name: 'free', label: 'Free', tokens: 7168 },
  ])
})

test('adds up to the window', () => {
  const view = meterView(measured({ system: 20, task: 80, turns: 3900 }), parts)
  expect(view.text).toBe('4,000 / 8,192')
  expect(view.segments.reduce((total, segment) => total + segment.tokens, 0)).toBe(8192)
})

test('says its whole state in one sentence', () => {
  expect(meterView(measured({ turns: 4102 }), parts).sentence).toBe(
    '4,102 of 8,192 tokens, 50 percent, roomy; 1,024 kept for the answer; compaction above 6,092',
  )
})

test('marks where compaction begins: at a share of what system text and tools leave', () => {
  const view = meterView(measured({ system: 1000, tools: 168 }), parts)
  expect(view.sentence).toContain('compaction above 6,268')
  expect(view.tickWords).toEqual([
    '4,660: the window is filling',
    '6,268: above this the next request is compacted',
    '7,168: the most that a request may hold',
  ])
  expect(view.ticksPercent[1]).toBeCloseTo((6268 / 8192) * 100)
})

describe('the level', () => {
  test.each([
    [0, 'roomy'],
    [4659, 'roomy'],
    [4660, 'filling'],
    [6093, 'nearly full'],
    [7168, 'nearly full'],
    [7169, 'over the limit'],
  ])('at %i tokens is %s', (turns, level) => {
    expect(meterView(measured({ turns }), parts).level).toBe(level)
  })
})
