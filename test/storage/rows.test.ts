import { describe, expect, it } from 'vitest'
import { inflateRows, type LogRow, rowsToInflate } from '../../src/storage/rows.ts'
import { messageEntry } from '../support/log-entries.ts'

const row = (seq: number, ...deflated: readonly number[]): LogRow => ({
  incarnation: 'chat/1',
  seq,
  entry: messageEntry(seq),
  deflated: new Uint8Array(deflated),
})

describe('rows that a change found', () => {
  const small: LogRow = { incarnation: 'chat/1', seq: 9, entry: messageEntry(9) }

  it('are to be inflated once, damaged ones too', async () => {
    const rows = [row(0, 1, 2), small]
    expect(rowsToInflate(rows, new Map())).toEqual([rows[0]])
    expect(rowsToInflate(rows, await inflateRows(rows))).toEqual([])
  })

  it('are to be inflated again where another tab put others in their place', async () => {
    const inflated = await inflateRows([row(0, 1, 2)])
    for (const other of [row(0, 1, 3), row(0, 1), row(0, 1, 2, 3), row(1, 1, 2)])
      expect(rowsToInflate([other], inflated)).toEqual([other])
  })
})
