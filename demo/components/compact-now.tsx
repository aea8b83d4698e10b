import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { Chat } from '../chat/chat.ts'

/** Compacts at once, with a word on what must survive. */
export function CompactNow({ chat }: { chat: Chat }) {
  const focus = useSignal('')
  const id = useId()
  const isBusy = chat.isOpening.value || chat.activity.value !== 'idle'
  const hasStored = (chat.snapshot.value?.messages ?? 0) > 0
  const compact = (event: Event) => {
    event.preventDefault()
    void chat.compactNow(focus.value)
    focus.value = ''
  }
  return (
    <form class="compact" onSubmit={compact}>
      <label for={id} class="quiet">
        What must survive (optional)
      </label>
      <span class="compact-line">
        <input
          id={id}
          type="text"
          dir="auto"
          data-testid="compact-focus"
          value={focus.value}
          onInput={(event) => {
            focus.value = event.currentTarget.value
          }}
        />
        <button type="submit" data-testid="compact-now" disabled={isBusy || !hasStored}>
          Compact now
        </button>
      </span>
    </form>
  )
}
