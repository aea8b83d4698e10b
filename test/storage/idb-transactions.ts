import type { IDBPDatabase } from 'idb'
import { describe, expect, it, vi } from 'vitest'
import { LARGE_BYTES } from '../../src/storage/deflate.ts'
import type { LogStore } from '../../src/storage/log-store.ts'
import { messageEntry } from '../support/log-entries.ts'
import {
  connectionOf,
  type ForceClose,
  head,
  idbSetup,
  newName,
  put,
  request,
} from './idb-setup.ts'

/** How transactions end, and what lies in rows, run on each implementation of IndexedDB. */
export function idbTransactions(name: string, forceClose: ForceClose): void {
  describe(name, () => {
    const { open, openRaw } = idbSetup()

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
        const { store } = open({ name: database, answerMs: 1_000 })
        await put(store)
        const release = await occupy(await openRaw(database))
        const silent = {
          code: 'storage-failed',
          details: { step: 'read', cause: 'no answer within 1000 ms' },
        }
        await expect(put(store, { add: [messageEntry(0)] })).rejects.toMatchObject(silent)
        await expect(store.read('chat')).rejects.toMatchObject(silent)
        await release()
        expect(await store.read('chat')).toEqual({ head, entries: [], drafts: [] })
      })

      it.each([
        ['without a reason', null, 'quota-exceeded', 'null: aborted without a reason'],
        ['for want of room', 'QuotaExceededError', 'quota-exceeded', 'QuotaExceededError'],
        ['on a full disk', 'UnknownError', 'quota-exceeded', 'UnknownError'],
        ['for another reason', 'DataError', 'storage-failed', 'DataError'],
      ])('that ends %s rejects by its name and leaves nothing', async (_, reason, code, cause) => {
        const { store } = open({ name: newName() })
        await put(store)
        const failed = { code, details: { step: 'commit', cause } }
        for (const when of ['at once', 'after its requests'] as const) {
          const ending = endTransactions('put', when, reason)
          await expect(put(store, { add: [messageEntry(0)] })).rejects.toMatchObject(failed)
          ending.mockRestore()
          expect((await store.read('chat')).entries).toEqual([])
        }
      })

      it('that ends while it is read rejects with its reason', async () => {
        const { store } = open({ name: newName() })
        await put(store)
        endTransactions('get', 'at once', 'UnknownError')
        const failed = { code: 'storage-failed', details: { step: 'read', cause: 'UnknownError' } }
        await expect(store.read('chat')).rejects.toMatchObject(failed)
        await expect(put(store)).rejects.toMatchObject(failed)
      })

      it('is aborted where the decision throws', async () => {
        const { store } = open({ name: newName() })
        const abort = vi.spyOn(IDBTransaction.prototype, 'abort')
        const reason = new Error('not like this')
        const failing = store.change(request, () => {
          throw reason
        })
        await expect(failing).rejects.toBe(reason)
        expect(abort).toHaveBeenCalledTimes(1)
      })

      it('is aborted where its end does not come, and its connection let go of', async () => {
        const { store, signals } = open({ name: newName(), answerMs: 1_000 })
        await put(store)
        const connection = await connectionOf(store)
        const original = IDBObjectStore.prototype.put
        const abort = vi.spyOn(IDBTransaction.prototype, 'abort')
        // Chromium may still tell of a success after the abort.
        const aborted = () => abort.mock.calls.length > 0
        const endless = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (
          this: IDBObjectStore,
          ...row
        ) {
          const made = original.apply(this, row)
          made.addEventListener('success', () => goOn(this, aborted))
          return made
        })
        await expect(put(store, { add: [messageEntry(0)] })).rejects.toMatchObject({
          code: 'storage-failed',
          details: { step: 'commit', cause: 'no answer within 1000 ms' },
        })
        endless.mockRestore()
        forceClose(connection)
        expect((await store.read('chat')).entries).toEqual([])
        expect(await connectionOf(store)).not.toBe(connection)
        expect(signals).toEqual([])
      })

      it.each([
        ['heads', (store: LogStore) => store.heads()],
        ['read', (store: LogStore) => store.read('chat')],
        ['change', (store: LogStore) => put(store)],
      ])('whose requests throw while reading rejects by name: %s', async (_, call) => {
        const { store } = open({ name: newName() })
        await put(store)
        for (const request of ['get', 'getAll'] as const)
          vi.spyOn(IDBObjectStore.prototype, request).mockImplementation(() => {
            throw new DOMException('', 'UnknownError')
          })
        await expect(call(store)).rejects.toMatchObject({
          code: 'storage-failed',
          details: { step: 'read', cause: 'UnknownError' },
        })
      })

      it('is not begun for a native that JSON has no form for', async () => {
        const { store } = open({ name: newName() })
        const wrong = store.change({ ...request, natives: [1n] }, () => ({ head }))
        await expect(wrong).rejects.toMatchObject({ details: { step: 'write' } })
        expect(await store.heads()).toEqual([])
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

      it('hold what one change adds together, and what it adds later apart', async () => {
        const database = newName()
        const { store } = open({ name: database })
        const entries = Array.from({ length: 70 }, (_, seq) => messageEntry(seq))
        await put(store, { add: entries.slice(0, 69) })
        await put(store, { add: entries.slice(69) })
        const keys = await (await openRaw(database)).getAllKeys('log')
        expect(keys).toEqual([63, 68, 69].map((seq) => [head.incarnation, seq]))
      })

      it('hold large natives deflated, small and unannounced ones as they are', async () => {
        const database = newName()
        const { store } = open({ name: database })
        await storeLarge(store)
        await put(store, { add: [messageEntry(2, { ...native })] })
        const raw = await openRaw(database)
        const row = await rowAt(raw, 1)
        const [[seq, deflated]] = row.deflated
        expect(seq).toBe(0)
        expect(deflated.length).toBeLessThan(LARGE_BYTES)
        expect(row.entries).toEqual([{ ...messageEntry(0), native: undefined }, messageEntry(1)])
        expect((await rowAt(raw, 2)).entries[0].native).toEqual(native)
      })

      it.each([
        ['with damaged bytes', (row: Row) => ({ ...row, deflated: [[0, new Uint8Array([1, 2])]] })],
        ['with half of the bytes', halfDeflated],
        ['without an entry', (row: Row) => ({ ...row, entries: row.entries.toSpliced(0, 1, 0) })],
      ])('%s have a stone in its place, and the rest is read', async (_, damage) => {
        const database = newName()
        const { store } = open({ name: database })
        await storeLarge(store)
        const raw = await openRaw(database)
        await raw.put('log', damage(await rowAt(raw, 1)))
        const read = await store.read('chat')
        const stone = { type: 'forgotten', seq: 0, parent: -1, key: messageEntry(0).key }
        expect(read).toMatchObject({ head, entries: [stone, messageEntry(1)], drafts: [] })
        const { found } = await store.change(request, () => undefined)
        expect(found).toEqual(read)
      })

      it('keep what is damaged beside an entry that is replaced', async () => {
        const database = newName()
        const { store } = open({ name: database })
        await storeLarge(store)
        const raw = await openRaw(database)
        const damaged = halfDeflated(await rowAt(raw, 1))
        await raw.put('log', damaged)
        await put(store, { replace: [{ type: 'void', seq: 1, at: 9 }] })
        expect((await rowAt(raw, 1)).deflated).toEqual(damaged.deflated)
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

/** As much of a row as the tests damage. */
interface Row {
  readonly entries: readonly unknown[]
  readonly deflated: readonly (readonly [number, Uint8Array])[]
}

function halfDeflated(row: Row): Row {
  const deflated = row.deflated.map(
    ([seq, bytes]) => [seq, bytes.slice(0, bytes.length / 2)] as const,
  )
  return { ...row, deflated }
}

/** From now on the transaction of each such request ends with an error, which is null for no reason. */
function endTransactions(
  request: 'get' | 'put',
  when: 'at once' | 'after its requests',
  reason: string | null,
) {
  const original: (...rest: never[]) => IDBRequest = IDBObjectStore.prototype[request]
  return vi.spyOn(IDBObjectStore.prototype, request).mockImplementation(function (
    this: IDBObjectStore,
    ...rest: unknown[]
  ) {
    const made = original.apply(this, rest as never[])
    const error = reason === null ? null : new DOMException('', reason)
    Object.defineProperty(this.transaction, 'error', { value: error })
    if (when === 'at once') this.transaction.abort()
    else made.addEventListener('success', () => this.transaction.abort())
    return made
  })
}

/** Asks for one thing after another, so that the transaction does not end by itself. */
function goOn(store: IDBObjectStore, ended: () => boolean): void {
  if (ended()) return
  store.get('nothing').addEventListener('success', () => goOn(store, ended))
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
