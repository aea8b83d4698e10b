import { afterEach, describe, expect, it } from 'vitest'
import type { LogEntry } from '../../src/core/log/entry.ts'
import type { Change, LogStore } from '../../src/storage/log-store.ts'
import { draftOf, entriesOfEveryType, headOf, messageEntry } from '../support/log-entries.ts'

/** Gives back a maker of stores that all see one place, as tabs see one database; each call names a new place. */
export type MakePlace = () => () => LogStore

const wanted = (more: object = {}) => ({
  conversation: 'chat',
  incarnation: undefined,
  fromSeq: 0,
  natives: [],
  ...more,
})

const messages = (count: number, from = 0): LogEntry[] =>
  Array.from({ length: count }, (_, index) => messageEntry(from + index))

const head = headOf('chat')

/** Text that deflate cannot make small by repetition alone. */
function longText(length: number): string {
  let text = ''
  for (let n = 1; text.length < length; n = (n * 48_271) % 2_147_483_647) text += n.toString(36)
  return text.slice(0, length)
}

/** What every store promises, run on each of them. */
export function storeConformance(name: string, makePlace: MakePlace): void {
  describe(name, () => {
    const opened: LogStore[] = []
    const place = () => {
      const openTab = makePlace()
      return () => {
        const store = openTab()
        opened.push(store)
        return store
      }
    }
    const newStore = () => place()()

    afterEach(() => {
      for (const store of opened.splice(0)) store.close()
    })

    const put = (store: LogStore, change: Partial<Change>) =>
      store.change(wanted(), () => ({ head, ...change }))

    /** Adds one message behind what is there. */
    const append = (store: LogStore, text: string) =>
      store.change(wanted(), ({ head: stored, entries }) => {
        const seq = entries.length
        const entry = { ...messageEntry(seq, { role: 'user', content: text }), key: text }
        return {
          head: headOf('chat', { revision: (stored?.revision ?? 0) + 1, count: seq + 1 }),
          add: [entry],
        }
      })

    describe('what is kept', () => {
      it('is nothing at first', async () => {
        const store = newStore()
        expect(await store.heads()).toEqual([])
        expect(await store.read('chat')).toEqual({ head: undefined, entries: [], drafts: [] })
      })

      it('is every type of entry as it was, in order', async () => {
        const tab = place()
        await put(tab(), { add: entriesOfEveryType.toReversed() })
        const { entries } = await tab().read('chat')
        expect(entries).toEqual(entriesOfEveryType)
      })

      it('is the head as it was given, and its number of entries', async () => {
        const store = newStore()
        const room = {
          model: 'm',
          windowTokens: 1000,
          reserveTokens: 100,
          overheadTokens: 10,
        }
        const full = headOf('chat', { count: 2, checksum: 'c', tip: 1, preview: 'Message 0', room })
        await put(store, { head: full, add: messages(2) })
        expect((await store.read('chat')).head).toEqual(full)
        expect(await store.heads()).toEqual([full])
      })

      it('is a copy that nobody can alter', async () => {
        const store = newStore()
        const native = { role: 'user', content: 'as it was' }
        await put(store, { add: [messageEntry(0, native)], putDrafts: [draftOf('t', 'draft')] })
        native.content = 'altered'
        const { entries, drafts } = await store.read('chat')
        Object.assign(entries[0] ?? {}, { key: 'altered' })
        Object.assign(drafts[0] ?? {}, { message: 'altered' })
        Object.assign((await store.heads())[0] ?? {}, { preview: 'altered' })
        expect(await store.heads()).toEqual([head])
        const again = await store.read('chat')
        expect(again.entries).toEqual([messageEntry(0, { role: 'user', content: 'as it was' })])
        expect(again.drafts).toEqual([draftOf('t', 'draft')])
      })

      it.each([
        ['an empty name', ''],
        ['NUL', 'a\u0000b'],
        ['an emoji', '👩‍🚀 trip'],
        ['half an emoji', 'half \ud83d'],
        ['the name of a member of objects', '__proto__'],
      ])('is found under %s', async (_, conversation) => {
        const store = newStore()
        const request = wanted({ conversation })
        await store.change(request, () => ({
          head: headOf(conversation),
          add: messages(1),
          putDrafts: [draftOf(conversation, 'draft')],
        }))
        await append(store, 'in another conversation')
        const { head: stored, entries, drafts } = await store.read(conversation)
        expect(stored).toEqual(headOf(conversation))
        expect(entries).toEqual(messages(1))
        expect(drafts).toEqual([draftOf(conversation, 'draft')])
      })

      it('is five thousand entries in one change, and the last of them as news', async () => {
        const store = newStore()
        await put(store, { head: headOf('chat', { count: 5_000 }), add: messages(5_000) })
        const { entries } = await store.read('chat')
        expect(entries).toEqual(messages(5_000))
        const request = wanted({ incarnation: head.incarnation, fromSeq: 4_998 })
        const { found } = await store.change(request, () => undefined)
        expect(found.entries).toEqual(messages(2, 4_998))
      })
    })

    describe('large natives', () => {
      const large = [
        ['a megabyte', { role: 'user', content: longText(1_000_000) }],
        ['lone surrogates', { role: 'user', content: `\udc00${longText(80_000)}\ud83d` }],
        ['two-byte text', { role: 'user', content: '漢字'.repeat(30_000) }],
        ['awkward keys', JSON.parse(`{"__proto__":{"a":1},"content":"${longText(70_000)}"}`)],
      ] as const

      it.each(large)('come back as they were: %s', async (_, native) => {
        const tab = place()
        const add = [messageEntry(0, native), messageEntry(1)]
        const request = wanted({ natives: [native] })
        await tab().change(request, () => ({ head, add }))
        const { entries } = await tab().read('chat')
        // Compared as JSON, which tells lone surrogates apart and prints no megabyte where they differ.
        expect(JSON.stringify(entries) === JSON.stringify(add)).toBe(true)
      })

      it('come back as they were where nobody announced them', async () => {
        const store = newStore()
        const native = { role: 'user', content: longText(200_000) }
        await put(store, { add: [messageEntry(0, native)] })
        const [entry] = (await store.read('chat')).entries
        expect(entry?.type === 'message' && entry.native).toEqual(native)
      })

      it('are whole where a change finds them as news, and it decides once', async () => {
        const tab = place()
        const native = { role: 'user', content: longText(200_000) }
        await tab().change(wanted({ natives: [native] }), () => ({
          head,
          add: [messageEntry(0, native)],
        }))
        const seen: unknown[] = []
        await tab().change(wanted(), ({ entries }) => {
          seen.push(entries)
          return { head, add: messages(1, 1) }
        })
        expect(seen).toEqual([[messageEntry(0, native)]])
        expect((await tab().read('chat')).entries).toHaveLength(2)
      })
    })

    describe('a change', () => {
      it('finds what is new to the caller, and all drafts', async () => {
        const store = newStore()
        const drafts = [draftOf('a', 'one'), draftOf('b', 'two')]
        await put(store, { add: messages(5), putDrafts: drafts.toReversed() })
        const request = wanted({ incarnation: head.incarnation, fromSeq: 3 })
        const { found, done } = await store.change(request, () => undefined)
        expect(found).toEqual({ head, entries: messages(2, 3), drafts })
        expect(done).toBeUndefined()
      })

      it.each([
        ['another incarnation', 'chat/0'],
        ['none', undefined],
      ])('finds all entries where the caller knows %s', async (_, incarnation) => {
        const store = newStore()
        await put(store, { add: messages(5) })
        const request = wanted({ incarnation, fromSeq: 3 })
        const { found } = await store.change(request, () => undefined)
        expect(found.entries).toEqual(messages(5))
      })

      it('stores nothing where nothing is decided', async () => {
        const store = newStore()
        await store.change(wanted(), () => undefined)
        expect(await store.heads()).toEqual([])
      })

      it('gives back what was found before it and what was done', async () => {
        const store = newStore()
        const change = { head, add: messages(1) }
        const outcome = await store.change(wanted(), () => change)
        expect(outcome.found).toEqual({ head: undefined, entries: [], drafts: [] })
        expect(outcome.done).toEqual(change)
      })

      it('loses nothing where two tabs append at once', async () => {
        const tab = place()
        const [one, two] = [tab(), tab()]
        const texts = Array.from({ length: 20 }, (_, n) => `text ${n}`)
        await Promise.all(texts.map((text, n) => append(n % 2 ? one : two, text)))
        const { head: stored, entries } = await one.read('chat')
        expect(entries.map(({ seq }) => seq)).toEqual(texts.map((_, n) => n))
        const kept = entries.map((entry) => entry.type === 'message' && entry.key)
        expect(kept.toSorted()).toEqual(texts.toSorted())
        expect(stored).toMatchObject({ revision: 20, count: 20 })
      })

      it.each([
        ['stored at once', [200]],
        ['stored one by one', Array.from({ length: 200 }, () => 1)],
        ['stored a few at a time', [1, 70, 1, 1, 64, 63]],
      ])('puts entries in the place of others that were %s', async (_, counts) => {
        const tab = place()
        let all: LogEntry[] = []
        for (const count of counts) {
          const add = messages(count, all.length)
          await put(tab(), { add })
          all = [...all, ...add]
        }
        const stone = { type: 'forgotten', seq: 71, at: 9, parent: 70, key: 'key 71' } as const
        const others = [72, 0, 199].map((seq) => ({ type: 'void', seq, at: 9 }) as const)
        const replace = [stone, ...others]
        await put(tab(), { replace, add: [messageEntry(200)] })
        const stones = new Map(replace.map((entry) => [entry.seq, entry]))
        const expected = [...all, messageEntry(200)].map((entry) => stones.get(entry.seq) ?? entry)
        expect((await tab().read('chat')).entries).toEqual(expected)
      })

      it('finds the news from any entry on, however they were stored', async () => {
        const store = newStore()
        for (const [count, from] of [
          [3, 0],
          [70, 3],
          [1, 73],
          [1, 74],
        ] as const)
          await put(store, { add: messages(count, from) })
        for (let fromSeq = 0; fromSeq <= 76; fromSeq++) {
          const request = wanted({ incarnation: head.incarnation, fromSeq })
          const { found } = await store.change(request, () => undefined)
          expect(found.entries).toEqual(messages(Math.max(0, 75 - fromSeq), fromSeq))
        }
      })

      it('of two tabs that give the same number one is refused, whatever else it adds', async () => {
        const tab = place()
        await put(tab(), { add: messages(3) })
        const request = wanted({ incarnation: head.incarnation, fromSeq: 3 })
        const counts = [70, 1, 5, 64, 65]
        // None of them looks at what it found, as a decision that is wrong would.
        const changes = counts.map((count) =>
          tab().change(request, () => ({ head, add: messages(count, 3) })),
        )
        const outcomes = await Promise.allSettled(changes)
        const stored = outcomes.findIndex(({ status }) => status === 'fulfilled')
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected')
            expect(outcome.reason).toMatchObject({ code: 'storage-failed' })
        }
        expect((await tab().read('chat')).entries).toEqual(messages(3 + (counts[stored] ?? 0)))
      })

      it('erases a log and leaves its stone, in no list, and a new log starts', async () => {
        const store = newStore()
        await append(store, 'in a log that goes')
        await put(store, { putDrafts: [draftOf('t', 'draft')] })
        await store.change(wanted({ conversation: 'other' }), () => ({
          head: headOf('other'),
          add: messages(2),
        }))
        const stone = headOf('chat', { deleted: true, revision: 3 })
        await put(store, { head: stone, erase: true })
        expect(await store.read('chat')).toEqual({ head: stone, entries: [], drafts: [] })
        expect(await store.heads()).toEqual([headOf('other')])
        expect((await store.read('other')).entries).toHaveLength(2)
        const next = headOf('chat', { incarnation: 'chat/2' })
        await put(store, { head: next, add: messages(1) })
        expect(await store.read('chat')).toEqual({ head: next, entries: messages(1), drafts: [] })
      })

      it('erases before it adds, also into another incarnation', async () => {
        const store = newStore()
        await put(store, { add: messages(3), putDrafts: [draftOf('t', 'old')] })
        await put(store, { erase: true, add: messages(2) })
        expect((await store.read('chat')).entries).toEqual(messages(2))
        const next = headOf('chat', { incarnation: 'chat/2' })
        await put(store, { head: next, erase: true, add: messages(1) })
        expect((await store.read('chat')).entries).toEqual(messages(1))
        await put(store, { head })
        expect(await store.read('chat')).toEqual({ head, entries: [], drafts: [] })
      })
    })

    describe('drafts', () => {
      it('are put, overwritten and dropped in the change that adds their message', async () => {
        const store = newStore()
        await put(store, { putDrafts: [draftOf('a', 'one'), draftOf('b', 'two')] })
        await put(store, { putDrafts: [draftOf('a', 'one and more')] })
        const both = [draftOf('a', 'one and more'), draftOf('b', 'two')]
        expect((await store.read('chat')).drafts).toEqual(both)
        await put(store, { add: messages(1), dropDrafts: ['a', 'never seen'] })
        const { entries, drafts } = await store.read('chat')
        expect(entries).toEqual(messages(1))
        expect(drafts).toEqual([draftOf('b', 'two')])
      })

      it('are put after others are dropped', async () => {
        const store = newStore()
        await put(store, { putDrafts: [draftOf('a', 'one')], dropDrafts: ['a'] })
        expect((await store.read('chat')).drafts).toEqual([draftOf('a', 'one')])
      })

      it('belong to one conversation', async () => {
        const store = newStore()
        await put(store, { putDrafts: [draftOf('a', 'one')] })
        await store.change(wanted({ conversation: 'other' }), () => ({
          head: headOf('other'),
          dropDrafts: ['a'],
        }))
        expect((await store.read('chat')).drafts).toHaveLength(1)
        expect((await store.read('other')).drafts).toEqual([])
      })
    })

    describe('a change that fails', () => {
      const uncloneable = { role: 'user', content: () => {} }
      const failures: readonly (readonly [string, Partial<Change>])[] = [
        ['a seq that is taken', { add: [{ ...messageEntry(1), key: 'new' }] }],
        ['a seq twice', { add: [messageEntry(3), { ...messageEntry(3), key: 'new' }] }],
        ['the place of an entry that is not there', { replace: [{ type: 'void', seq: 5, at: 9 }] }],
        ['what has no copy', { add: [messageEntry(3), messageEntry(4, uncloneable)] }],
        [
          'a draft that has no copy',
          { putDrafts: [{ ...draftOf('a', ''), message: uncloneable }] },
        ],
      ]

      it.each(failures)('leaves nothing behind: %s', async (_, change) => {
        const store = newStore()
        const drafts = [draftOf('a', 'kept')]
        await put(store, { add: messages(2), putDrafts: drafts })
        const failing = put(store, {
          head: headOf('chat', { revision: 2, preview: 'not kept' }),
          replace: [{ type: 'void', seq: 0, at: 9 }],
          dropDrafts: ['a'],
          ...change,
          add: [messageEntry(2), ...(change.add ?? [])],
        })
        await expect(failing).rejects.toMatchObject({
          code: 'storage-failed',
          details: { step: 'write' },
        })
        expect(await store.read('chat')).toEqual({ head, entries: messages(2), drafts })
        await put(store, { add: messages(1, 2) })
        expect((await store.read('chat')).entries).toEqual(messages(3))
      })

      it('keeps an erased log where what follows fails', async () => {
        const store = newStore()
        await put(store, { add: messages(2) })
        const failing = put(store, { erase: true, add: [messageEntry(0), messageEntry(0)] })
        await expect(failing).rejects.toMatchObject({ code: 'storage-failed' })
        expect((await store.read('chat')).entries).toEqual(messages(2))
      })

      it('rejects with the very error that the decision threw', async () => {
        const store = newStore()
        await put(store, { add: messages(1) })
        const reason = new Error('not like this')
        const failing = store.change(wanted(), () => {
          throw reason
        })
        await expect(failing).rejects.toBe(reason)
        expect((await store.read('chat')).entries).toEqual(messages(1))
        await put(store, { add: messages(1, 1) })
        expect((await store.read('chat')).entries).toEqual(messages(2))
      })
    })

    it('lists heads, the newest change first', async () => {
      const store = newStore()
      for (const [conversation, updatedAt] of [
        ['b', 2],
        ['c', 3],
        ['a', 1],
      ] as const)
        await store.change(wanted({ conversation }), () => ({
          head: headOf(conversation, { updatedAt }),
        }))
      const listed = await store.heads()
      expect(listed.map(({ conversation }) => conversation)).toEqual(['c', 'b', 'a'])
    })

    it('rejects every call once it is closed', async () => {
      const store = newStore()
      await put(store, { add: messages(1) })
      store.close()
      const closed = { code: 'storage-failed', details: { step: 'open' } }
      await expect(store.heads()).rejects.toMatchObject(closed)
      await expect(store.read('chat')).rejects.toMatchObject(closed)
      await expect(store.change(wanted(), () => undefined)).rejects.toMatchObject(closed)
    })
  })
}
