import type { Tamp, TampOptions } from '../../src/index.ts'
import { memoryStore } from '../../src/storage/memory-store.ts'
import { openTab } from './tabs.ts'

/** A device whose tabs share one store in memory, the engine in the calling thread. */
export function memoryDevice() {
  const store = memoryStore()
  const tabs: Tamp[] = []
  return {
    openTab: (options?: TampOptions) => {
      const tab = openTab(store, options)
      tabs.push(tab)
      return tab
    },
    end: async () => {
      await Promise.all(tabs.map((tab) => tab.close()))
      store.close()
    },
  }
}
