import { createTamp } from '../../src/index.ts'
import { conversationConformance } from './conformance.ts'

const makeWorker = () =>
  new Worker(new URL('../../worker/worker.ts', import.meta.url), { type: 'module' })

let places = 0

conversationConformance('conversations in a worker over IndexedDB', () => {
  const store = { name: `conversations ${places++}` }
  const tabs: ReturnType<typeof createTamp>[] = []
  return {
    openTab: (options) => {
      const tab = createTamp({ worker: makeWorker, store, ...options })
      tabs.push(tab)
      return tab
    },
    end: async () => {
      await Promise.all(tabs.map((tab) => tab.close()))
    },
  }
})
