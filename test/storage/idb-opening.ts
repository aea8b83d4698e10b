import { deleteDB, openDB, unwrap } from 'idb'
import { describe, expect, it, vi } from 'vitest'
import { type Upgrade, upgrades } from '../../src/storage/upgrades.ts'
import { messageEntry } from '../support/log-entries.ts'
import { connectionOf, type ForceClose, head, idbSetup, newName, put } from './idb-setup.ts'

const allStores = ['conversations', 'drafts', 'log', 'search', 'settings']
const nextVersion: readonly Upgrade[] = [
  ...upgrades,
  ({ database }) => {
    database.createObjectStore('later')
  },
]

/** How databases are opened, upgraded and lost, run on each implementation of IndexedDB. */
export function idbOpening(name: string, forceClose: ForceClose): void {
  describe(name, () => {
    const { open, openRaw } = idbSetup()

    describe('opening', () => {
      it('makes a database where there is none, and only when it is needed', async () => {
        const database = newName()
        const { store } = open({ name: database })
        const names = async () => (await indexedDB.databases()).map((each) => each.name)
        expect(await names()).not.toContain(database)
        await store.heads()
        const raw = await openRaw(database)
        expect(raw.version).toBe(upgrades.length)
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

      it('keeps the rows of version 1, which held one entry each, and adds to them', async () => {
        const database = newName()
        const entries = [0, 1, 2].map((seq) => messageEntry(seq))
        const raw = await openDB(database, 1, {
          upgrade(made, _, __, transaction) {
            upgrades[0]?.({ database: unwrap(made), transaction: unwrap(transaction) })
          },
        })
        await raw.put('conversations', head)
        const { incarnation } = head
        for (const entry of entries)
          await raw.put('log', { incarnation, seq: entry.seq, key: entry.key, entry })
        raw.close()
        const { store } = open({ name: database })
        await put(store, { add: [messageEntry(3), messageEntry(4)] })
        const stone = { type: 'void', seq: 1, at: 9 } as const
        await put(store, { replace: [stone] })
        const expected = [entries[0], stone, entries[2], messageEntry(3), messageEntry(4)]
        expect((await store.read('chat')).entries).toEqual(expected)
        const taken = put(store, { add: [messageEntry(2)] })
        await expect(taken).rejects.toMatchObject({ code: 'storage-failed' })
      })

      it('leaves the old version where a step of the upgrade throws, and tries again', async () => {
        const database = newName()
        const reason = new Error('the step is wrong')
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
          details: { step: 'open', cause: 'Error: the step is wrong' },
        })
        const { version } = await openRaw(database).then((raw) => {
          raw.close()
          return raw
        })
        expect(version).toBe(upgrades.length)
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
        const { store, signals } = open({ name: database, upgrades: nextVersion, openMs: 1_000 })
        await expect(store.heads()).rejects.toMatchObject({
          code: 'storage-failed',
          details: { step: 'open', cause: 'no answer within 1000 ms' },
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
        expect((await openRaw(database)).version).toBe(nextVersion.length)
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
        older.store.close()
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
  })
}
