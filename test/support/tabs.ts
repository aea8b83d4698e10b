import { localEngine } from '../../src/entries/local.ts'
import { createTamp, type Tamp, type TampOptions } from '../../src/index.ts'
import type { LogStore } from '../../src/storage/log-store.ts'

/** A tab over a store: closing the tab leaves the store open for the next one. */
export function openTab(store: LogStore, options: TampOptions = {}): Tamp {
  const shared: LogStore = {
    durable: store.durable,
    heads: () => store.heads(),
    read: (conversation) => store.read(conversation),
    change: (request, decide) => store.change(request, decide),
    onSignal: (listener) => store.onSignal(listener),
    close: () => {},
  }
  return createTamp({ engine: localEngine({ store: () => shared }), ...options })
}
