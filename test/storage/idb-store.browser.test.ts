import { idbStore } from '../../src/storage/idb-store.ts'
import { storeConformance } from './conformance.ts'
import { idbOpening } from './idb-opening.ts'
import { idbTransactions } from './idb-transactions.ts'

let places = 0

storeConformance('the store over IndexedDB', () => {
  const name = `place ${places++}`
  return () => idbStore({ name })
})

const forceClose = (connection: IDBDatabase) => {
  connection.dispatchEvent(new Event('close'))
}

idbOpening('databases', forceClose)
idbTransactions('transactions', forceClose)
