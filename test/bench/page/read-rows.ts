import { idbStore } from '../../../src/storage/idb-store.ts'
import { timed } from '../figure.ts'

/** What is to be read, and what comes back: how long it took, in milliseconds. */
export interface ReadRows {
  readonly store: string
  readonly conversation: string
}

/** A worker that reads the rows of a conversation once, as the first thing it does, and tells how long it took. */
globalThis.onmessage = async ({ data: { store: name, conversation } }: MessageEvent<ReadRows>) => {
  const store = idbStore({ name })
  await store.heads() // the database is open then
  const { result, ms } = await timed(() => store.read(conversation))
  if (result.entries.length === 0) throw new Error('nothing was read')
  globalThis.postMessage(ms)
}
