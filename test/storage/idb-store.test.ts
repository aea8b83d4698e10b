import 'fake-indexeddb/auto'
import { forceCloseDatabase } from 'fake-indexeddb'
import { idbStore } from '../../src/storage/idb-store.ts'
import { storeConformance } from './conformance.ts'
import { idbOpening } from './idb-opening.ts'
import { idbTransactions } from './idb-transactions.ts'

let places = 0

storeConformance('the store over IndexedDB, in Node', () => {
  const name = `place ${places++}`
  return () => idbStore({ name })
})

const forceClose = (connection: IDBDatabase) => {
  // Its types name the class where a connection is meant.
  forceCloseDatabase(connection as unknown as typeof IDBDatabase)
}

idbOpening('databases, in Node', forceClose)
idbTransactions('transactions, in Node', forceClose)
