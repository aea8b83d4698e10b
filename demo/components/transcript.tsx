import { computed } from '@preact/signals'
import { Fragment } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Chat } from '../chat/chat.ts'
import { canChat } from '../chat/opening.ts'
import { isUnanswered } from '../chat/path.ts'
import { assistantMessage } from '../chat/turn.ts'
import { type CompactionView, compactionViews, fittedView } from '../view/compaction.ts'
import { formatNumber } from '../view/numbers.ts'
import { type Row, transcriptRows } from '../view/transcript.ts'
import { CompactionDivider } from './compaction-divider.tsx'
import { useFollowEnd } from './follow-end.ts'
import { Message } from './message.tsx'
import { MessageActions } from './message-actions.tsx'
import { useNewest } from './use-newest.ts'

/** All messages, never shortened, whatever was sent. Of a long talk the earlier ones are shown on demand. */
export function Transcript({ chat }: { chat: Chat }) {
  const rows = useRows(chat)
  const { shown, earlier, showEarlier } = useNewest(rows, chat.conversation.value.id)
  const spoken = rows.filter((row) => row.role === 'user').length
  const inputs = [rows, chat.partial.value, chat.activity.value, chat.failure.value]
  const end = useFollowEnd(inputs, spoken)
  const isBusy = chat.activity.value !== 'idle'
  const isOpening = chat.isOpening.value
  return (
    <div
      class="transcript"
      role="log"
      aria-label="Conversation"
      aria-busy={isBusy || isOpening}
      data-testid="transcript"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse
      tabIndex={0}
    >
      {isOpening && <p class="waiting">Opening</p>}
      {!isOpening && rows.length === 0 && <Welcome />}
      {earlier > 0 && (
        <button type="button" class="earlier" data-testid="show-earlier" onClick={showEarlier}>
          {`Show earlier messages (${formatNumber(earlier)})`}
        </button>
      )}
      <Rows chat={chat} rows={shown} />
      {isBusy && <Arriving chat={chat} />}
      <AnswerThis chat={chat} />
      <div ref={end} class="end" />
    </div>
  )
}

const noRows: readonly Row[] = []

/** Rows are made anew only where the path changed. */
function useRows(chat: Chat): readonly Row[] {
  const rows = useMemo(
    () => computed(() => transcriptRows(chat.path.value.map(({ native }) => native))),
    [chat],
  )
  // What the page would begin with is not what is stored.
  return chat.isOpening.value ? noRows : rows.value
}

function Rows({ chat, rows }: { chat: Chat; rows: readonly Row[] }) {
  const dividers = dividersOf(chat)
  const isChat = canChat(chat.about.value)
  const path = chat.path.value
  const before = (start: number, end: number) =>
    dividers
      .filter((view) => view.before >= start && view.before < end)
      .map((view) => <CompactionDivider key={view.key} chat={chat} view={view} />)
  return (
    <>
      {rows.map((row, place) => {
        const message = path[row.index]
        const start = place === 0 ? 0 : (rows[place - 1]?.index ?? 0) + 1
        return (
          <Fragment key={row.index}>
            {before(start, row.index + 1)}
            <Message
              row={row}
              answeredFrom={chat.answeredFrom.value.get(row.index)}
              isInterrupted={message?.interrupted ?? false}
            >
              {isChat && message !== undefined && (
                <MessageActions chat={chat} message={message} index={row.index} />
              )}
            </Message>
          </Fragment>
        )
      })}
      {before((rows.at(-1)?.index ?? -1) + 1, Number.POSITIVE_INFINITY)}
    </>
  )
}

function dividersOf(chat: Chat): readonly CompactionView[] {
  const fitted = fittedView(chat.fitted.value)
  const stored = compactionViews({
    path: chat.path.value,
    compactions: chat.compactions.value,
    canRedo: chat.snapshot.value?.canRedo ?? false,
  })
  return fitted === undefined ? stored : [...stored, fitted]
}

const waitingWords = {
  idle: '',
  fitting: 'Making the request fit',
  answering: 'Waiting for the model',
  compacting: 'Compacting',
} as const

function Arriving({ chat }: { chat: Chat }) {
  const reply = chat.partial.value
  if (reply === undefined || (reply.text === '' && reply.calls.length === 0)) {
    return <p class="waiting">{waitingWords[chat.activity.value]}</p>
  }
  const row = transcriptRows([assistantMessage(reply)])[0]
  return row === undefined ? null : <Message row={row} answeredFrom={undefined} />
}

/** An opened file, or a talk that was stopped, may end before its answer. */
function AnswerThis({ chat }: { chat: Chat }) {
  const isResting = chat.activity.value === 'idle' && !chat.isOpening.value
  // A failure offers the same, and what is being edited will be sent anew.
  const isOffered = chat.failure.value === undefined && chat.editing.value === undefined
  if (!isResting || !isOffered) return null
  if (!canChat(chat.about.value) || !isUnanswered(chat.path.value)) return null
  return (
    <button type="button" data-testid="answer" onClick={() => chat.retry()}>
      Answer this
    </button>
  )
}

function Welcome() {
  return (
    <p class="welcome">
      Tell the model something, talk on past its window, then ask for it again. The simulated model
      knows only what is in the request it receives.
    </p>
  )
}
