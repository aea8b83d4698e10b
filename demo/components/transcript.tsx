import { computed } from '@preact/signals'
import { Fragment } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Chat } from '../chat/chat.ts'
import type { NativeMessage } from '../chat/conversation.ts'
import { assistantMessage } from '../chat/turn.ts'
import { type CompactionView, compactionView } from '../view/compaction.ts'
import { transcriptRows } from '../view/transcript.ts'
import { CompactionDivider } from './compaction-divider.tsx'
import { useFollowEnd } from './follow-end.ts'
import { Message } from './message.tsx'

/** All messages, never shortened, whatever was sent; the divider stands where the kept tail begins. */
export function Transcript({ chat }: { chat: Chat }) {
  const rows = useMemo(
    () => computed(() => transcriptRows(chat.conversation.value.messages)),
    [chat],
  )
  const divider = compactionView(chat.sent.value)
  const dividerRow = divider && rows.value.find((row) => row.index >= divider.before)
  const spoken = rows.value.filter((row) => row.role === 'user').length
  const inputs = [rows.value, chat.partial.value, chat.activity.value, chat.failure.value]
  const end = useFollowEnd(inputs, spoken)
  const isBusy = chat.activity.value !== 'idle'
  return (
    <div
      class="transcript"
      role="log"
      aria-label="Conversation"
      aria-busy={isBusy}
      data-testid="transcript"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse
      tabIndex={0}
    >
      {rows.value.length === 0 && <Welcome />}
      {rows.value.map((row) => (
        <Fragment key={row.index}>
          {row === dividerRow && <Divider view={divider} />}
          <Message row={row} answeredFrom={chat.answeredFrom.value.get(row.index)} />
        </Fragment>
      ))}
      {isBusy && <Arriving chat={chat} />}
      <div ref={end} class="end" />
    </div>
  )
}

function Divider({ view }: { view: CompactionView | undefined }) {
  return view === undefined ? null : <CompactionDivider view={view} />
}

function Arriving({ chat }: { chat: Chat }) {
  const reply = chat.partial.value
  if (reply === undefined || (reply.text === '' && reply.calls.length === 0)) {
    const words =
      chat.activity.value === 'fitting' ? 'Making the request fit' : 'Waiting for the model'
    return <p class="waiting">{words}</p>
  }
  const message: NativeMessage = assistantMessage(reply)
  const row = transcriptRows([message])[0]
  return row === undefined ? null : <Message row={row} answeredFrom={undefined} />
}

function Welcome() {
  return (
    <p class="welcome">
      Tell the model something, talk on past its window, then ask for it again. The simulated model
      knows only what is in the request it receives.
    </p>
  )
}
