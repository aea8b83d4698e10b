import { batch } from '@preact/signals'
import { type PathMessage, questionOf } from './path.ts'
import { contentText } from './sent.ts'
import type { ChatState } from './state.ts'

/** What makes and shows branches of a conversation. No action rejects. */
export interface Branches {
  /** Asks for the reply at this index of the path anew; the old one stays on a branch of its own. */
  readonly regenerate: (index: number) => Promise<void>
  /** Takes the user message at this index into the composer; sending it begins a branch. */
  readonly edit: (index: number) => void
  readonly cancelEdit: () => void
  /** Shows the newest path through a message. */
  readonly showBranch: (seq: number) => Promise<void>
}

/** Creates the actions; `answer` asks for a reply to the path that is shown. */
export function createBranches(
  state: ChatState,
  answer: (seed: number | undefined) => Promise<void>,
  refresh: () => Promise<void>,
): Branches {
  const { path, editing, draft, through, activity, failure } = state
  return {
    async regenerate(index) {
      const question = questionOf(path.value, index)
      if (question < 0 || activity.value !== 'idle') return
      const seed = seedFor(path.value[question + 1])
      batch(() => {
        path.value = path.value.slice(0, question + 1)
        through.value = undefined
        editing.value = undefined
      })
      await answer(seed)
    },
    edit(index) {
      const message = path.value[index]
      if (message === undefined || activity.value !== 'idle') return
      batch(() => {
        editing.value = index
        draft.value = contentText(message.native)
        failure.value = undefined
      })
    },
    cancelEdit() {
      batch(() => {
        editing.value = undefined
        draft.value = ''
      })
    },
    async showBranch(seq) {
      if (activity.value !== 'idle') return
      through.value = seq
      editing.value = undefined
      await refresh()
    },
  }
}

/** The simulator gives equal answers to equal requests; each further reply gets a seed of its own. */
function seedFor(first: PathMessage | undefined): number | undefined {
  return first === undefined || first.interrupted ? undefined : first.branches.length
}
