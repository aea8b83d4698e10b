import { deleteDB, type IDBPDatabase, openDB } from 'idb'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { LARGE_BYTES } from '../../src/storage/deflate.ts'
import { type IdbStoreOptions, idbStore } from '../../src/storage/idb-store.ts'
import type { Change, LogStore, StoreSignal } from '../../src/storage/log-store.ts'
import { type Upgrade, upgrades } from '../../src/storage/upgrades.ts'
import { headOf, messageEntry } from '../support/log-entries.ts'

const head = headOf('chat')
const request = { conversation: 'chat', incarnation: undefined, fromSeq: 0, natives: [] }
const allStores = ['conversations', 'drafts', 'log', 'search', 'settings']
const nextVersion: readonly Upgrade[] = [
  ...upgrades,
  ({ database }) => {
    database.createObjectStore('later')
  },
]

/**
 * What goes wrong with databases, run on each implementation of IndexedDB. `forceClose` makes a connection believe
 * that the browser closed it.
 */
export function idbFaults(name: string, forceClose: (connection: IDBDatabase) => void): void {
  describe(name, () => {
    const toClose: { close(): void }[] = []
    let places = 0
    const newName = () => `faults ${places++}`

    const open = (options: IdbStoreOptions) => {
      const store = idbStore(options)
      const signals: StoreSignal[] = []
      store.onSignal((signal) => signals.push(signal))
      toClose.push(store)
      return { store, signals }
    }
    /** A connection that is not Tamp's and hears nothing. */
    const openRaw = async (database: string, version?: number): Promise<IDBPDatabase> => {
      const raw = await openDB(database, version)
      toClose.push(raw)
      return raw
    }
    const put = (store: LogStore, change: Partial<Change> = {}) =>
      store.change(request, () => ({ head, ...change }))

    afterEach(() => {
      vi.restoreAllMocks()
      vi.unstubAllGlobals()
      for (const each of toClose.splice(0)) each.close()
    })

    describe('opening', () => {
      it('makes a database where there is none, and only when it is needed', async () => {
        const database = newName()
        const { store } = open({ name: database })
        const names = async () => (await indexedDB.databases()).map((each) => each.name)
        expect(await names()).not.toContain(database)
        await store.heads()
        const raw = await openRaw(database)
        expect(raw.version).toBe(1)
        expect([...raw.objectStoreNames]).toEqual(allStores)
      })

      it('happens once for all who call', async () => {
        const opening = vi.spyOn(IDBFactory.prototype, 'open')
        const { store } = open({ name: newName() })
        await Promise.all([store.heads(), store.read('chat'), put(store)])
        expect(opening).toHaveBeenCalledTimes(1)
      })

      it('upgrades what an earlier version made, and keeps what is in it', async () => {
        const database = newName()
        const old = open({ name: database })
        await put(old.store, { add: [messageEntry(0)] })
        old.store.close()
        const { store } = open({ name: database, upgrades: nextVersion })
        expect((await store.read('chat')).entries).toEqual([messageEntry(0)])
        const raw = await openRaw(database)
        expect([...raw.objectStoreNames]).toEqual([...allStores, 'later'].toSorted())
      })

      it('leaves the old version where a step of the upgrade throws, and tries again', async () => {
        const database = newName()
        const reason = new Error('step 2 is wrong')
        let wrong = true
        const step: Upgrade = ({ database: raw }) => {
          raw.createObjectStore('later')
          if (wrong) throw reason
        }
        const old = open({ name: database })
        await put(old.store, { add: [messageEntry(0)] })
        old.store.close()
        const { store } = open({ name: database, upgrades: [...upgrades, step] })
        await expect(store.heads()).rejects.toMatchObject({
          code: 'storage-failed',
          details: { step: 'open', cause: 'Error: step 2 is wrong' },
        })
        const { version } = await openRaw(database).then((raw) => {
          raw.close()
          return raw
        })
        expect(version).toBe(1)
        wrong = false
        expect((await store.read('chat')).entries).toEqual([messageEntry(0)])
      })

      it('waits for a tab that holds an older version, and says so', async () => {
        const database = newName()
        const older = open({ name: database })
        await put(older.store)
        older.store.close()
        const deaf = await openRaw(database)
        const { store, signals } = open({ name: database, upgrades: nextVersion })
        store.onSignal(() => deaf.close())
        expect(await store.heads()).toEqual([head])
        expect(signals).toEqual(['blocked'])
      })

      it('gives up on a tab that never lets go, and closes what comes late', async () => {
        const database = newName()
        const older = open({ name: database })
        await put(older.store)
        older.store.close()
        const deaf = await openRaw(database)
        const { store, signals } = open({ name: database, upgrades: nextVersion, openMs: 100 })
        await expect(store.heads()).rejects.toMatchObject({
          code: 'storage-failed',
          details: { step: 'open', cause: 'no answer within 100 ms' },
        })
        expect(signals).toEqual(['blocked'])
        deaf.close()
        // Where the late connection stayed open, this would be blocked for good.
        await deleteDB(database)
        expect(signals).toEqual(['blocked'])
      })

      it('refuses a newer database and leaves it untouched', async () => {
        const database = newName()
        const newer = open({ name: database, upgrades: nextVersion })
        await put(newer.store, { add: [messageEntry(0)] })
        const { store } = open({ name: database })
        const refused = { code: 'newer-version', details: { step: 'open' } }
        await expect(store.heads()).rejects.toMatchObject(refused)
        await expect(put(store)).rejects.toMatchObject(refused)
        expect((await newer.store.read('chat')).entries).toEqual([messageEntry(0)])
        expect(newer.signals).toEqual([])
        expect((await openRaw(database)).version).toBe(2)
      })

      it.each([
        ['is missing', undefined],
        ['is null', null],
        [
          'throws',
          {
            open: () => {
              throw new DOMException('denied', 'SecurityError')
            },
          },
        ],
      ])('fails where IndexedDB %s, and is tried again', async (_, factory) => {
        vi.stubGlobal('indexedDB', factory)
        const { store } = open({ name: newName() })
        const failed = { code: 'storage-failed', details: { step: 'open' } }
        await expect(store.heads()).rejects.toMatchObject(failed)
        await expect(put(store)).rejects.toMatchObject(failed)
        vi.unstubAllGlobals()
        expect(await store.heads()).toEqual([])
      })

      it('leaves no connection where the store is closed meanwhile', async () => {
        const database = newName()
        const { store } = open({ name: database })
        const pending = store.heads()
        store.close()
        await expect(pending).rejects.toMatchObject({ code: 'storage-failed' })
        await deleteDB(database)
        expect((await indexedDB.databases()).map((each) => each.name)).not.toContain(database)
      })
    })

    describe('a connection', () => {
      /** The connection that the store uses, as the browser sees it. */
      const connectionOf = async (store: LogStore): Promise<IDBDatabase> => {
        const used = vi.spyOn(IDBDatabase.prototype, 'transaction')
        await store.heads()
        const connection = used.mock.contexts[0]
        used.mockRestore()
        if (!(connection instanceof IDBDatabase)) throw new Error('no transaction was made')
        return connection
      }

      it('is closed at once for a newer version, and its calls reject', async () => {
        const database = newName()
        const older = open({ name: database })
        await put(older.store, { add: [messageEntry(0)] })
        const newer = open({ name: database, upgrades: nextVersion })
        expect((await newer.store.read('chat')).entries).toEqual([messageEntry(0)])
        expect(newer.signals).toEqual([])
        expect(older.signals).toEqual(['superseded'])
        const superseded = {
          code: 'newer-version',
          details: { step: 'open', cause: 'superseded' },
        }
        await expect(older.store.heads()).rejects.toMatchObject(superseded)
        await expect(put(older.store)).rejects.toMatchObject(superseded)
      })

      it('lets the database be deleted, and does not make it anew', async () => {
        const database = newName()
        const { store, signals } = open({ name: database })
        await put(store)
        await deleteDB(database)
        expect(signals).toEqual(['superseded'])
        await expect(put(store)).rejects.toMatchObject({ code: 'newer-version' })
        expect((await indexedDB.databases()).map((each) => each.name)).not.toContain(database)
      })

      it('is opened again where it closed without a word', async () => {
        const { store } = open({ name: newName() })
        const connection = await connectionOf(store)
        connection.close()
        await put(store, { add: [messageEntry(0)] })
        expect((await store.read('chat')).entries).toEqual([messageEntry(0)])
      })

      it('is opened again after the browser closed it', async () => {
        const { store, signals } = open({ name: newName() })
        const connection = await connectionOf(store)
        const signal = new Promise((resolve) => store.onSignal(resolve))
        forceClose(connection)
        await signal
        expect(signals).toEqual(['closed'])
        expect(await connectionOf(store)).not.toBe(connection)
      })
    })

    describe('a transaction', () => {
      it('is asked for in strict durability whenever it may write, and gets it', async () => {
        const { store } = open({ name: newName() })
        await store.heads()
        const asked = vi.spyOn(IDBDatabase.prototype, 'transaction')
        await put(store, { add: [messageEntry(0)], erase: true })
        await store.change(request, () => undefined)
        await store.heads()
        await store.read('chat')
        const modes = asked.mock.calls.map(([, mode, options]) => [mode, options?.durability])
        const [writing, reading] = [
          ['readwrite', 'strict'],
          ['readonly', undefined],
        ]
        expect(modes).toEqual([writing, writing, reading, reading])
        const made = asked.mock.results.map(({ value }) => value.durability)
        expect(made.slice(0, 2)).toEqual(['strict', 'strict'])
      })

      it('rejects where nothing answers, leaves nothing, and the next call works', async () => {
        const database = newName()
        const { store } = open({ name: database, answerMs: 100 })
        await put(store)
        const release = await occupy(await openRaw(database))
        const silent = {
          code: 'storage-failed',
          details: { step: 'read', cause: 'no answer within 100 ms' },
        }
        await expect(put(store, { add: [messageEntry(0)] })).rejects.toMatchObject(silent)
        await expect(store.read('chat')).rejects.toMatchObject(silent)
        await release()
        expect(await store.read('chat')).toEqual({ head, entries: [], drafts: [] })
      })

      it('that ends without a reason counts as a full disk, and leaves nothing', async () => {
        const { store } = open({ name: newName() })
        await put(store)
        const original = IDBObjectStore.prototype.put
        // An abort that no request failed for: the error of the transaction is null.
        vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (
          this: IDBObjectStore,
          ...row
        ) {
          const made = original.apply(this, row)
          made.addEventListener('success', () => this.transaction.abort())
          return made
        })
        await expect(put(store, { add: [messageEntry(0)] })).rejects.toMatchObject({
          code: 'quota-exceeded',
          details: { step: 'commit' },
        })
        vi.restoreAllMocks()
        expect((await store.read('chat')).entries).toEqual([])
      })

      it.each([
        ['InvalidStateError', 'quota-exceeded'],
        ['QuotaExceededError', 'quota-exceeded'],
        ['DataError', 'storage-failed'],
      ])('whose put throws %s rejects as %s and leaves nothing', async (thrown, code) => {
        const { store } = open({ name: newName() })
        await put(store)
        const failing = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
          throw new DOMException('', thrown)
        })
        await expect(put(store, { add: [messageEntry(0)] })).rejects.toMatchObject({
          code,
          details: { step: 'write' },
        })
        failing.mockRestore()
        expect((await store.read('chat')).entries).toEqual([])
      })

      it('that could not be aborted and completes has failed nevertheless', async () => {
        const { store } = open({ name: newName() })
        await put(store)
        vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
          throw new DOMException('', 'InvalidStateError')
        })
        vi.spyOn(IDBTransaction.prototype, 'abort').mockImplementation(() => {
          throw new DOMException('', 'InvalidStateError')
        })
        await expect(put(store)).rejects.toMatchObject({ code: 'quota-exceeded' })
      })
    })

    describe('rows', () => {
      const native = { role: 'user', content: 'many words '.repeat(20_000) }
      const announced = { ...request, natives: [native] }
      const storeLarge = (store: LogStore) =>
        store.change(announced, () => ({ head, add: [messageEntry(0, native), messageEntry(1)] }))
      const rowAt = async (raw: IDBPDatabase, seq: number) =>
        raw.get('log', [head.incarnation, seq])

      it('hold large natives deflated, small and unannounced ones as they are', async () => {
        const database = newName()
        const { store } = open({ name: database })
        await storeLarge(store)
        await put(store, { add: [messageEntry(2, { ...native })] })
        const raw = await openRaw(database)
        const row = await rowAt(raw, 0)
        expect(row.deflated.length).toBeLessThan(LARGE_BYTES)
        expect(row.entry.native).toBeUndefined()
        expect(await rowAt(raw, 1)).toMatchObject({ entry: messageEntry(1) })
        expect((await rowAt(raw, 2)).entry.native).toEqual(native)
      })

      it.each([
        ['with damaged bytes', (row: object) => ({ ...row, deflated: new Uint8Array([1, 2, 3]) })],
        ['with half of the bytes', halfDeflated],
        ['without an entry', (row: object) => ({ ...row, entry: undefined })],
      ])('%s are left out, and the rest is read', async (_, damage) => {
        const database = newName()
        const { store } = open({ name: database })
        await storeLarge(store)
        const raw = await openRaw(database)
        await raw.put('log', damage(await rowAt(raw, 0)))
        const read = await store.read('chat')
        expect(read).toEqual({ head, entries: [messageEntry(1)], drafts: [] })
        const { found } = await store.change(request, () => undefined)
        expect(found).toEqual(read)
      })

      it('of the search index go with the log that they were made of', async () => {
        const database = newName()
        const { store } = open({ name: database })
        await storeLarge(store)
        const raw = await openRaw(database)
        await raw.put('search', 'index', head.incarnation)
        await raw.put('search', 'index', 'another')
        await put(store, { erase: true })
        expect(await raw.getAllKeys('search')).toEqual(['another'])
      })
    })

    it('says that it outlives the page', () => {
      expect(open({ name: newName() }).store.durable).toBe(true)
    })
  })
}

function halfDeflated(row: { readonly deflated?: Uint8Array }): object {
  const { deflated } = row
  return { ...row, deflated: deflated?.slice(0, deflated.length / 2) }
}

/** Keeps all stores busy with one transaction, until the function that comes back is called. */
async function occupy(raw: IDBPDatabase): Promise<() => Promise<void>> {
  const transaction = raw.transaction([...raw.objectStoreNames], 'readwrite')
  const keys = transaction.objectStore('settings')
  let released = false
  const keepAlive = async () => {
    while (!released) await keys.get('nothing')
  }
  await keys.get('nothing')
  const alive = keepAlive()
  return async () => {
    released = true
    await Promise.all([alive, transaction.done])
  }
}
