import type { LiveHistory } from './live-history.ts'
import type { Runner } from './runner.ts'
import type { ChatState } from './state.ts'

/** What a person can do about compactions. No action rejects. */
export interface Compactions {
  /** Compacts at once; `focus` names what must survive, blank for nothing in particular. */
  readonly compactNow: (focus: string) => Promise<void>
  /** Takes the newest compaction back. */
  readonly undo: () => Promise<void>
  readonly redo: () => Promise<void>
}

/** Creates the three actions over the conversation that is open. */
export function createCompactions(
  state: ChatState,
  runner: Runner,
  history: () => LiveHistory,
): Compactions {
  const run = (work: (signal: AbortSignal) => Promise<unknown>, done: string) =>
    runner.run(async (signal) => {
      state.activity.value = 'compacting'
      await work(signal)
      await history().refreshKeeping()
    }, done)
  return {
    compactNow: (focus) => run((signal) => compact(state, focus.trim(), signal), 'Compacted'),
    undo: () => run(() => state.conversation.value.undo(), 'Compaction undone. Redo available.'),
    redo: () => run(() => state.conversation.value.redo(), 'Compaction redone. Undo available.'),
  }
}

async function compact(state: ChatState, focus: string, signal: AbortSignal): Promise<void> {
  const options = focus === '' ? { signal } : { signal, focus }
  const { outcome, reason } = await state.conversation.value.compact(options)
  if (outcome === 'compacted') return
  const text = reason ?? 'There is nothing that could be left out.'
  state.failure.value = { title: 'Nothing was compacted.', text, facts: [] }
}
