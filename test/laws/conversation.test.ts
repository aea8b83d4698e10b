import 'fake-indexeddb/auto'
import fc from 'fast-check'
import { afterEach, describe, it, vi } from 'vitest'
import { idbStore } from '../../src/storage/idb-store.ts'
import type { LogStore } from '../../src/storage/log-store.ts'
import { memoryStore } from '../../src/storage/memory-store.ts'
import { type Chat, chats, play } from '../support/chat-model/play.ts'
import { jumpingClock } from '../support/clock.ts'
import { lawParameters, lawRuns, lawTimeoutMs } from '../support/generate.ts'

/** Plays one run of a failure alone: the path that fast-check prints beside the seed. */
const path = process.env.TAMP_LAW_PATH

/** Thousands of steps, each checked, on a machine that may be busy with other things. */
const timeoutMs = 240_000 + lawTimeoutMs

function law(name: string, runs: number, makeStore: () => LogStore): void {
  it(
    name,
    async () => {
      const { skip } = jumpingClock()
      const run = async (chat: Chat) => {
        const store = makeStore()
        await play(store, chat, skip).finally(() => store.close())
      }
      const parameters = {
        ...lawParameters,
        ...(path ? { path } : {}),
        numRuns: Math.ceil(runs),
        timeout: 60_000,
        // What shrinking came to by then is printed, which no deadline of the test would do.
        interruptAfterTimeLimit: timeoutMs - 20_000,
        markInterruptAsFailure: true,
      }
      await fc.assert(fc.asyncProperty(chats, run), parameters)
    },
    timeoutMs,
  )
}

let places = 0

afterEach(() => {
  vi.restoreAllMocks()
})

describe('a conversation does what a naive one does, whatever an app does with it', () => {
  law('in memory', lawRuns / 2, memoryStore)
  law('in IndexedDB', lawRuns / 6, () => idbStore({ name: `law ${places++}` }))
})
