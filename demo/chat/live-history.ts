import { batch } from '@preact/signals'
import { codeOf, describeFailure } from './failure.ts'
import { holds, type PathMessage, pathOf } from './path.ts'
import type { ChatState } from './state.ts'

/** Keeps the page in step with what is stored of one conversation, also by other tabs. */
export interface LiveHistory {
  /** Shows what is stored. */
  readonly refresh: () => Promise<void>
  /** Shows what is stored, unless something that was said here is not in it. */
  readonly refreshKeeping: () => Promise<void>
  readonly release: () => void
}

/** Follows the conversation of the state until it is released. */
export function followHistory(state: ChatState): LiveHistory {
  const conversation = state.conversation.value
  let newest = 0
  let latest: Promise<void> = Promise.resolve()
  let isReleased = false

  async function read(accepts: (stored: readonly PathMessage[]) => boolean): Promise<void> {
    newest += 1
    const asked = newest
    const { value: through } = state.through
    const [transcript, compactions] = await Promise.all([
      conversation.transcript(through === undefined ? {} : { through }),
      conversation.compactions(),
    ])
    if (isReleased) return
    // Overtaken by a later reading: only when that one is shown is anything.
    if (asked !== newest) return latest
    const stored = pathOf(transcript)
    batch(() => {
      // What a new conversation begins with is stored by its first request.
      if (stored.length > 0 && accepts(stored)) state.path.value = stored
      const { format = state.about.value.format } = transcript[0] ?? {}
      if (format !== state.about.value.format) {
        state.about.value = { ...state.about.value, format }
      }
      state.compactions.value = compactions
      state.snapshot.value = conversation.getSnapshot()
      state.isOpening.value = false
    })
  }

  function refreshIf(accepts: (stored: readonly PathMessage[]) => boolean): Promise<void> {
    latest = read(accepts).catch((error: unknown) => {
      if (isReleased) return
      state.isOpening.value = false
      // A lost engine has a notice of its own, and the page goes on with what it shows.
      if (codeOf(error) !== 'engine-lost') state.failure.value = describeFailure(error)
    })
    return latest
  }

  const refresh = () => refreshIf(() => true)
  const releases = [
    conversation.on('change', () => {
      // A turn shows its own messages and refreshes at its end.
      if (state.activity.value === 'idle') void refresh()
    }),
    conversation.subscribe(() => {
      state.snapshot.value = conversation.getSnapshot()
    }),
  ]
  return {
    refresh,
    refreshKeeping: () => refreshIf((stored) => holds(stored, state.path.value)),
    release() {
      isReleased = true
      for (const release of releases) release()
    },
  }
}
