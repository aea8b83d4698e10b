import { memoryStore } from '../../src/storage/memory-store.ts'
import { openTab } from '../support/tabs.ts'
import { conversationConformance } from './conformance.ts'

conversationConformance('conversations in memory', () => {
  const store = memoryStore()
  const tabs: ReturnType<typeof openTab>[] = []
  return {
    openTab: (options) => {
      const tab = openTab(store, options)
      tabs.push(tab)
      return tab
    },
    end: async () => {
      await Promise.all(tabs.map((tab) => tab.close()))
      store.close()
    },
  }
})
