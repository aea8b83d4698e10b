import { describe, expect, it } from 'vitest'
import { hash64 } from '../../src/core/log/key.ts'

describe('the hash that keys and checksums are made of', () => {
  // Every log that is stored holds such hashes: other values would make strangers of its messages.
  it.each([
    ['', 'acf0797d80c6f715'],
    ['a', 'e463b84d970103bc'],
    ['Check the gates.', '5f6ea604ad577a34'],
    ['漢字 \ud83d', '81e5426b64fc6ad5'],
    ['n944', '079d25310099cf2f'],
  ])('of %j stays what it was', (text, hash) => {
    expect(hash64(text)).toBe(hash)
  })
})
