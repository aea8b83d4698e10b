import { describe, expect, it } from 'vitest'
import type { LogEntry, MessageEntry } from '../../src/core/log/entry.ts'
import {
  batchRowsOf,
  entriesOf,
  inflateRows,
  type LogRow,
  rewrittenRow,
  type StoredRows,
  slotsToInflate,
} from '../../src/storage/rows.ts'
import { messageEntry } from '../support/log-entries.ts'

const bytes = (...each: readonly number[]) => new Uint8Array(each)

const storedRows = (...log: readonly LogRow[]): StoredRows => ({
  head: undefined,
  log,
  from: 0,
  drafts: [],
})

/** Entries from a number on; those of `deflated` as their rows would hold them. */
function batch(seq: number, count: number, deflated = new Map<unknown, Uint8Array<ArrayBuffer>>()) {
  const entries = Array.from({ length: count }, (_, index) => messageEntry(seq + index))
  const natives = new Map(
    [...deflated].map(([at, each]) => [entries[Number(at) - seq]?.native, each]),
  )
  const [row] = batchRowsOf('chat/1', entries, natives)
  if (!row) throw new Error('no row')
  return row
}

const messageOf = (seq: number, characters: number): MessageEntry =>
  messageEntry(seq, { role: 'user', content: 'x'.repeat(characters) })

const sizesOf = (entries: readonly LogEntry[]) =>
  batchRowsOf('chat/1', entries, new Map()).map((row) => [row.from, row.seq])

describe('rows of entries that are added', () => {
  it('hold 64 entries', () => {
    const entries = Array.from({ length: 130 }, (_, seq) => messageEntry(seq))
    expect(sizesOf(entries)).toEqual([
      [0, 63],
      [64, 127],
      [128, 129],
    ])
  })

  it('hold 24,000 characters, or one entry', () => {
    const sizes = [10_000, 10_000, 10_000, 60_000, 100, 100]
    expect(sizesOf(sizes.map((size, seq) => messageOf(seq, size)))).toEqual([
      [0, 1],
      [2, 2],
      [3, 3],
      [4, 5],
    ])
  })

  it('hold entries that follow one another without a gap', () => {
    expect(sizesOf([messageEntry(3), messageEntry(4), messageEntry(9)])).toEqual([
      [3, 4],
      [9, 9],
    ])
  })
})

describe('rows that a change found', () => {
  const old: LogRow = { incarnation: 'chat/1', seq: 2, key: 'key 2', entry: messageEntry(2) }

  it('are read in the shape of version 1 too', () => {
    const rows = storedRows(batch(0, 2), old, batch(3, 2))
    expect(entriesOf(rows, new Map())).toEqual([0, 1, 2, 3, 4].map((seq) => messageEntry(seq)))
  })

  it('give back a row of version 1 in the new shape where its entry is replaced', () => {
    const stone = { type: 'void', seq: 2, at: 9 } as const
    const row = rewrittenRow(old, [stone], new Map())
    expect(row).toMatchObject({ incarnation: 'chat/1', seq: 2, from: 2 })
    expect(entriesOf(storedRows(row), new Map())).toEqual([stone])
  })

  it('are to be inflated once, damaged ones too', async () => {
    const rows = storedRows(batch(0, 3, new Map([[1, bytes(1, 2)]])), old)
    expect(slotsToInflate(rows, new Map()).map(({ seq }) => seq)).toEqual([1])
    expect(slotsToInflate(rows, await inflateRows(rows))).toEqual([])
  })

  it('are to be inflated again where another tab put others in their place', async () => {
    const rowWith = (seq: number, ...each: readonly number[]) =>
      batch(0, 3, new Map([[seq, bytes(...each)]]))
    const inflated = await inflateRows(storedRows(rowWith(0, 1, 2)))
    for (const [seq, row] of [
      [0, rowWith(0, 1, 3)],
      [0, rowWith(0, 1)],
      [0, rowWith(0, 1, 2, 3)],
      [1, rowWith(1, 1, 2)],
    ] as const)
      expect(slotsToInflate(storedRows(row), inflated).map((slot) => slot.seq)).toEqual([seq])
  })

  it.each([
    ['an entry of it', { entries: [messageEntry(0), undefined, messageEntry(2)] }, ['key 1']],
    ['all entries', { entries: undefined }, ['key 0', 'key 1', 'key 2']],
    ['the bytes of a native', { deflated: [[1, bytes(1)]] }, ['key 1']],
  ])('are stones where %s cannot be read, under their keys', async (_, damage, keys) => {
    const row = { ...batch(0, 3), ...damage } as LogRow // a row as nothing of Tamp would write it
    const rows = storedRows(row)
    const entries = entriesOf(rows, await inflateRows(rows))
    expect(entries.map(({ seq }) => seq)).toEqual([0, 1, 2])
    const stones = entries.filter((entry) => entry.type === 'forgotten')
    expect(stones.map(({ key }) => key)).toEqual(keys)
  })

  it('are numbers without a key where even the keys are gone', () => {
    const row = { ...batch(0, 2), entries: undefined, keys: undefined } as unknown as LogRow
    expect(entriesOf(storedRows(row), new Map())).toEqual([
      { type: 'void', seq: 0, at: 0 },
      { type: 'void', seq: 1, at: 0 },
    ])
  })
})
