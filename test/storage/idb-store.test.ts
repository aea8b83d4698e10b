import 'fake-indexeddb/auto'
import { idbStore } from '../../src/storage/idb-store.ts'
import { storeConformance } from './conformance.ts'

let places = 0

storeConformance('the store over IndexedDB, in Node', () => {
  const name = `place ${places++}`
  return () => idbStore({ name })
})
