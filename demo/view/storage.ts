import type { StorageState } from 'tamp'

/** Where a conversation is kept, in words. */
export interface StorageWords {
  readonly text: string
  /** True where the person may lose something. */
  readonly isWarning: boolean
}

const words: Readonly<Record<StorageState, StorageWords>> = {
  durable: { text: 'Kept on this device', isWarning: false },
  'memory-only': {
    text: 'Kept in memory only: it is gone when this page is closed or reloaded',
    isWarning: true,
  },
  quota: {
    text: 'The device has no more room: what is new is kept in memory until there is some',
    isWarning: true,
  },
  blocked: {
    text: 'Another tab holds an older version open: close it, so that this one can be stored',
    isWarning: true,
  },
  superseded: {
    text: 'A newer version took over in another tab: reload this page',
    isWarning: true,
  },
}

/** Gives back the words for a state; before the store was read there is nothing to say. */
export function storageWords(state: StorageState | undefined): StorageWords {
  return state === undefined ? { text: 'Opening the store', isWarning: false } : words[state]
}
