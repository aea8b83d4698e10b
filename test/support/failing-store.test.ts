import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../src/storage/memory-store.ts'
import { storeConformance } from '../storage/conformance.ts'
import { failingStore } from './failing-store.ts'
import { headOf, messageEntry } from './log-entries.ts'

storeConformance('a failing store of which nothing is demanded', () => {
  const { store } = failingStore(memoryStore())
  return () => store
})

describe('a failing store', () => {
  const request = { conversation: 'chat', incarnation: undefined, fromSeq: 0, natives: [] }
  const setup = () => {
    const inner = memoryStore()
    const failing = failingStore(inner)
    const put = (seq: number) =>
      failing.store.change(request, () => ({ head: headOf('chat'), add: [messageEntry(seq)] }))
    const stored = async () => (await inner.read('chat')).entries.map(({ seq }) => seq)
    return { ...failing, put, stored }
  }

  it.each(['open', 'read', 'write', 'commit'] as const)(
    'stores nothing of a change that fails at %s, until it is mended',
    async (step) => {
      const { fail, mend, put, stored } = setup()
      await put(0)
      fail(step, 'quota-exceeded')
      const failed = { code: 'quota-exceeded', details: { step } }
      await expect(put(1)).rejects.toMatchObject(failed)
      await expect(put(2)).rejects.toMatchObject(failed)
      expect(await stored()).toEqual([0])
      mend()
      await put(1)
      expect(await stored()).toEqual([0, 1])
    },
  )

  it.each([
    ['open', true],
    ['read', true],
    ['write', false],
    ['commit', false],
  ] as const)('that fails at %s refuses to read: %s', async (step, refused) => {
    const { fail, put, store } = setup()
    await put(0)
    fail(step)
    const calls = [store.heads(), store.read('chat'), store.change(request, () => undefined)]
    const outcomes = await Promise.allSettled(calls)
    const status = refused ? 'rejected' : 'fulfilled'
    expect(outcomes.map((outcome) => outcome.status)).toEqual([status, status, status])
  })

  it('lets as many changes pass as it was told', async () => {
    const { fail, put, stored } = setup()
    fail('commit', 'quota-exceeded', 2)
    await put(0)
    await put(1)
    await expect(put(2)).rejects.toMatchObject({ code: 'quota-exceeded' })
    expect(await stored()).toEqual([0, 1])
  })
})
