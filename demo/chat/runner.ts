import { describeFailure } from './failure.ts'
import type { ChatState } from './state.ts'

/** Runs one piece of work at a time. */
export interface Runner {
  /** Does nothing while other work is on its way. Never rejects: a failure is state. */
  readonly run: (work: (signal: AbortSignal) => Promise<void>, done: string) => Promise<void>
  /** Ends the work that is on its way; gives back whether there was any. */
  readonly stop: () => boolean
}

/** Creates a runner that shows failures and says what was done. */
export function createRunner(state: ChatState, announce: (text: string) => void): Runner {
  let current: AbortController | undefined

  async function run(work: (signal: AbortSignal) => Promise<void>, done: string): Promise<void> {
    if (current !== undefined) return
    const own = new AbortController()
    current = own
    state.failure.value = undefined
    try {
      await work(own.signal)
      if (!own.signal.aborted) announce(done)
    } catch (error) {
      if (!own.signal.aborted) state.failure.value = describeFailure(error)
    } finally {
      if (current === own) settle()
    }
  }

  /** Settles at once, so that the page answers to the key and not to the provider's last word. */
  function stop(): boolean {
    if (current === undefined) return false
    current.abort()
    settle()
    announce('Stopped')
    return true
  }

  function settle(): void {
    current = undefined
    state.partial.value = undefined
    state.activity.value = 'idle'
  }

  return { run, stop }
}
