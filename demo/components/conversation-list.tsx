import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Chat } from '../chat/chat.ts'
import type { Library, ListedConversation } from '../chat/library.ts'
import { openTitle, titleOf } from '../view/title.ts'
import { formatAgo } from '../view/when.ts'

export interface ConversationListProps {
  readonly chat: Chat
  readonly library: Library
  /** Called when the person chose one. */
  readonly onChosen: () => void
}

/** All conversations of this device, the newest first. */
export function ConversationList({ chat, library, onChosen }: ConversationListProps) {
  const current = chat.conversation.value.id
  const summaries = library.summaries.value
  const isReading = chat.isOpening.value || library.isReading.value
  const isListed = summaries.some(({ id }) => id === current)
  return (
    <nav
      class="conversations"
      aria-label="Conversations"
      data-testid="conversations"
      aria-busy={isReading}
    >
      <ul>
        {!isListed && <Unstored chat={chat} isReading={isReading} />}
        {summaries.map((summary) => (
          <Entry
            key={summary.id}
            summary={summary}
            isCurrent={summary.id === current}
            library={library}
            onChosen={onChosen}
          />
        ))}
      </ul>
    </nav>
  )
}

/** The open conversation, as long as nothing of it is stored or the list was not read. */
function Unstored({ chat, isReading }: { chat: Chat; isReading: boolean }) {
  const { id } = chat.conversation.value
  return (
    <li class="conversation is-current" data-testid="conversation">
      <a href={`#c=${id}`} aria-current="page">
        <span class="conversation-preview">{openTitle(chat)}</span>
        <span class="conversation-when">{isReading ? 'Opening…' : 'not stored yet'}</span>
      </a>
    </li>
  )
}

interface EntryProps extends Pick<ConversationListProps, 'library' | 'onChosen'> {
  readonly summary: ListedConversation
  readonly isCurrent: boolean
}

function Entry({ summary, isCurrent, library, onChosen }: EntryProps) {
  const isAsking = useSignal(false)
  const { id, updatedAt } = summary
  const title = titleOf(summary.name, summary.preview)
  return (
    <li class={isCurrent ? 'conversation is-current' : 'conversation'} data-testid="conversation">
      <a href={`#c=${id}`} aria-current={isCurrent ? 'page' : undefined} onClick={onChosen}>
        <span class="conversation-preview" dir="auto">
          {title}
        </span>
        <span class="conversation-when">{formatAgo(updatedAt, Date.now())}</span>
      </a>
      {isAsking.value ? (
        <ConfirmDelete
          onYes={() => library.remove(id)}
          onNo={() => {
            isAsking.value = false
          }}
        />
      ) : (
        <button
          type="button"
          class="small"
          data-testid="delete"
          aria-label={`Delete: ${title}`}
          onClick={() => {
            isAsking.value = true
          }}
        >
          Delete
        </button>
      )}
    </li>
  )
}

/** Asks in the place of the button; the harmless answer has the focus. */
function ConfirmDelete({ onYes, onNo }: { onYes: () => void; onNo: () => void }) {
  const no = useRef<HTMLButtonElement>(null)
  useEffect(() => no.current?.focus(), [])
  return (
    // biome-ignore lint/a11y/useSemanticElements: two buttons are no form, and a fieldset has a frame
    <span class="confirm" role="group" aria-label="Delete this conversation?">
      <span class="quiet">Delete it? It cannot be brought back.</span>
      <button type="button" class="small" data-testid="delete-yes" onClick={onYes}>
        Delete
      </button>
      <button ref={no} type="button" class="small" onClick={onNo}>
        Keep
      </button>
    </span>
  )
}
