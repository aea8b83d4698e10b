import { TampError } from '../../src/core/errors.ts'
import type { LogStore } from '../../src/storage/log-store.ts'
import type { StorageStep } from '../../src/storage/storage-error.ts'

type StorageCode = 'storage-failed' | 'quota-exceeded' | 'newer-version'

export interface FailingStore {
  readonly store: LogStore
  /**
   * From now on calls fail at this step: `open` all of them, `read` all as well, `write` and `commit` the changes that
   * store something. The first `after` calls that would fail go well. Nothing of a failed change is stored.
   */
  readonly fail: (at: StorageStep, code?: StorageCode, after?: number) => void
  /** From now on nothing fails. */
  readonly mend: () => void
}

interface Fault {
  readonly at: StorageStep
  readonly error: TampError
  passing: number
}

/** Wraps a store so that it fails on demand. A failed `write` or `commit` has read, and has asked for a decision. */
export function failingStore(inner: LogStore): FailingStore {
  let fault: Fault | undefined
  const check = (...steps: readonly StorageStep[]) => {
    if (!fault || !steps.includes(fault.at) || fault.passing-- > 0) return
    throw fault.error
  }
  const store: LogStore = {
    durable: inner.durable,
    heads: async () => {
      check('open', 'read')
      return inner.heads()
    },
    read: async (conversation) => {
      check('open', 'read')
      return inner.read(conversation)
    },
    change: async (request, decide) => {
      check('open', 'read')
      return inner.change(request, (found) => {
        const change = decide(found)
        // What is thrown in here ends the transaction of the store inside.
        if (change) check('write', 'commit')
        return change
      })
    },
    onSignal: (listener) => inner.onSignal(listener),
    close: () => inner.close(),
  }
  return {
    store,
    fail: (at, code = 'storage-failed', after = 0) => {
      const details = { step: at, cause: 'on demand' }
      const error = new TampError(code, `the store failed to ${at}: on demand`, details)
      fault = { at, error, passing: after }
    },
    mend: () => {
      fault = undefined
    },
  }
}
