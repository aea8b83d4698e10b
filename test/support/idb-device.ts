import type { TampOptions } from '../../src/index.ts'
import { idbStore } from '../../src/storage/idb-store.ts'
import { openTab } from './tabs.ts'

let places = 0

/** A device whose tabs have a connection each to one database, the engine in the calling thread. */
export function idbDevice() {
  const name = `place ${places++} of ${crypto.randomUUID()}`
  const open: (() => Promise<void>)[] = []
  return {
    openTab: (options?: TampOptions) => {
      const store = idbStore({ name })
      const tab = openTab(store, options)
      const close = async () => {
        await tab.close()
        store.close()
      }
      open.push(close)
      return { ...tab, close }
    },
    end: async () => {
      await Promise.all(open.map((close) => close()))
    },
  }
}
