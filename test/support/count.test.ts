import { describe, expect, it } from 'vitest'
import { readCases } from './case-files.ts'
import { countRequest, countText } from './count.ts'
import { hasShared } from './shared-data.ts'

describe('counting rule', () => {
  it.each([
    ['', 0],
    ['hello world', 2],
    ['fn main() { println!("hi"); }', 9],
  ])('counts %j as %i tokens', (text, tokens) => {
    expect(countText(text)).toBe(tokens)
  })

  it('counts text that spells a special token as ordinary text', () => {
    expect(countText('<|endoftext|>')).toBe(7)
  })

  it('counts an endless run in slices instead of hanging', () => {
    expect(countText('a'.repeat(100_000))).toBeGreaterThan(1000)
  })
})

describe.skipIf(!hasShared('cases'))('counting rule on the cases', () => {
  it.each(readCases().map((file) => [file.input.case, file] as const))('%s', (_name, file) => {
    const { system, tools, total } = countRequest(file.input)
    const { inputTokens, overheadTokens } = file.expectation
    expect({ total, overhead: system + tools }).toEqual({
      total: inputTokens,
      overhead: overheadTokens,
    })
  })
})
