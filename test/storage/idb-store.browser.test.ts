import { idbStore } from '../../src/storage/idb-store.ts'
import { storeConformance } from './conformance.ts'
import { idbFaults } from './idb-faults.ts'

let places = 0

storeConformance('the store over IndexedDB', () => {
  const name = `place ${places++}`
  return () => idbStore({ name })
})

idbFaults('faults of IndexedDB', (connection) => {
  connection.dispatchEvent(new Event('close'))
})
