import 'fake-indexeddb/auto'
import { idbStore } from '../../src/storage/idb-store.ts'
import { openTab } from '../support/tabs.ts'
import { conversationConformance } from './conformance.ts'

let places = 0

conversationConformance('conversations in IndexedDB, in Node', () => {
  const name = `place ${places++}`
  const tabs: { readonly close: () => Promise<void> }[] = []
  return {
    // Each tab has a connection of its own.
    openTab: (options) => {
      const store = idbStore({ name })
      const tab = openTab(store, options)
      const close = async () => {
        await tab.close()
        store.close()
      }
      tabs.push({ close })
      return { ...tab, close }
    },
    end: async () => {
      await Promise.all(tabs.map((tab) => tab.close()))
    },
  }
})
