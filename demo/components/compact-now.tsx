import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { Chat } from '../chat/chat.ts'

/** Compacts at once, with a word on what must survive. */
export function CompactNow({ chat }: { chat: Chat }) {
  const focus = useSignal('')
  const id = useId()
  const reason = whyNot(chat)
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
        <button
          type="submit"
          data-testid="compact-now"
          disabled={reason !== undefined}
          title={reason}
          aria-describedby={reason && `${id}-reason`}
        >
          Compact now
        </button>
      </span>
      <Reason chat={chat} id={`${id}-reason`} />
    </form>
  )
}

function Reason({ chat, id }: { chat: Chat; id: string }) {
  const reason = whyNot(chat)
  if (reason === undefined) return null
  return (
    // A line that came and went with every answer would make the page jump.
    <span id={id} class={chat.activity.value === 'idle' ? 'quiet' : 'unseen'}>
      {reason}
    </span>
  )
}

/** Gives back why there is nothing to compact at this moment, or `undefined` where there is. */
function whyNot({ isOpening, activity, snapshot }: Chat): string | undefined {
  if (isOpening.value) return 'The conversation is still opening.'
  if (activity.value !== 'idle') return 'Possible once the answer is there.'
  const hasStored = (snapshot.value?.messages ?? 0) > 0
  return hasStored ? undefined : 'Possible once a message was sent: nothing is stored yet.'
}
