import { expect, it } from 'vitest'
import { memoryStore } from '../../src/storage/memory-store.ts'
import { storeConformance } from './conformance.ts'

storeConformance('the store in memory', () => {
  const store = memoryStore()
  return () => store
})

it('says that it does not outlive the page', () => {
  expect(memoryStore().durable).toBe(false)
})
