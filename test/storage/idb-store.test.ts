import 'fake-indexeddb/auto'
import { forceCloseDatabase } from 'fake-indexeddb'
import { idbStore } from '../../src/storage/idb-store.ts'
import { storeConformance } from './conformance.ts'
import { idbFaults } from './idb-faults.ts'

let places = 0

storeConformance('the store over IndexedDB, in Node', () => {
  const name = `place ${places++}`
  return () => idbStore({ name })
})

idbFaults('faults of IndexedDB, in Node', (connection) => {
  // Its types name the class where a connection is meant.
  forceCloseDatabase(connection as unknown as typeof IDBDatabase)
})
