import type { LogStore } from '../../src/storage/log-store.ts'
import { memoryStore } from '../../src/storage/memory-store.ts'

/** A store in memory that passes for one that outlives the page. */
export function durable(inner = memoryStore()): LogStore {
  return {
    durable: true,
    heads: () => inner.heads(),
    read: (conversation) => inner.read(conversation),
    change: (request, decide) => inner.change(request, decide),
    onSignal: inner.onSignal,
    close: () => inner.close(),
  }
}
