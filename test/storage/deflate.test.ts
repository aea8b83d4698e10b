import { afterEach, describe, expect, it, vi } from 'vitest'
import { deflateLarge, inflate, LARGE_BYTES } from '../../src/storage/deflate.ts'

/** A text whose JSON, quotes included, takes so many bytes. */
const ofBytes = (bytes: number) => 'x'.repeat(bytes - 2)

describe('large natives', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  it.each([
    ['as many bytes as may be', ofBytes(LARGE_BYTES), false],
    ['one byte more', ofBytes(LARGE_BYTES + 1), true],
    ['few characters of many bytes', '漢'.repeat(LARGE_BYTES / 3), true],
    ['lone surrogates, which are escaped', '\ud83d'.repeat(LARGE_BYTES / 6 + 1), true],
    ['nothing', undefined, false],
  ])('are told by the bytes of their JSON: %s', async (_, native, large) => {
    const deflated = await deflateLarge([native, 'small'])
    expect(deflated.size).toBe(large ? 1 : 0)
    const bytes = deflated.get(native)
    if (bytes) expect((await inflate(bytes)) === native).toBe(true)
  })

  it('are found by identity alone', async () => {
    const native = { content: ofBytes(LARGE_BYTES) }
    const deflated = await deflateLarge([native])
    expect(deflated.has(native)).toBe(true)
    expect(deflated.has({ ...native })).toBe(false)
  })

  it('stay as they are where the engine cannot deflate', async () => {
    vi.stubGlobal('CompressionStream', undefined)
    expect((await deflateLarge([ofBytes(LARGE_BYTES + 1)])).size).toBe(0)
  })
})
