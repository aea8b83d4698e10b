import { type IDBPDatabase, openDB } from 'idb'
import { afterEach, vi } from 'vitest'
import { type IdbStoreOptions, idbStore } from '../../src/storage/idb-store.ts'
import type { Change, LogStore, StoreSignal } from '../../src/storage/log-store.ts'
import { headOf } from '../support/log-entries.ts'

/** Makes a connection believe that the browser closed it. */
export type ForceClose = (connection: IDBDatabase) => void

export const head = headOf('chat')
export const request = { conversation: 'chat', incarnation: undefined, fromSeq: 0, natives: [] }

let places = 0

/** Gives back the name of a database that no other test uses. */
export const newName = () => `faults ${places++}`

export const put = (store: LogStore, change: Partial<Change> = {}) =>
  store.change(request, () => ({ head, ...change }))

/** The connection that the store uses, as the browser sees it. */
export async function connectionOf(store: LogStore): Promise<IDBDatabase> {
  const used = vi.spyOn(IDBDatabase.prototype, 'transaction')
  await store.heads()
  const connection = used.mock.contexts[0]
  used.mockRestore()
  if (!(connection instanceof IDBDatabase)) throw new Error('no transaction was made')
  return connection
}

/** Gives back openers for the tests of one suite; what they opened is closed after each test. */
export function idbSetup() {
  const toClose: { close(): void }[] = []
  afterEach(() => {
    vi.restoreAllMocks()
    vi.unstubAllGlobals()
    for (const each of toClose.splice(0)) each.close()
  })
  const open = (options: IdbStoreOptions) => {
    const store = idbStore(options)
    const signals: StoreSignal[] = []
    store.onSignal((signal) => signals.push(signal))
    toClose.push(store)
    return { store, signals }
  }
  /** A connection that is not Tamp's and hears nothing. */
  const openRaw = async (database: string): Promise<IDBPDatabase> => {
    const raw = await openDB(database)
    toClose.push(raw)
    return raw
  }
  return { open, openRaw }
}
