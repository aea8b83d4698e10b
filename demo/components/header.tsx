import { useId } from 'preact/hooks'
import type { Chat } from '../chat/chat.ts'
import type { Library } from '../chat/library.ts'
import type { Notices } from '../chat/notices.ts'
import { personaChoices, personaOf } from '../chat/persona.ts'
import { windowChoices } from '../chat/window.ts'
import { formatNumber } from '../view/numbers.ts'
import { openTitle } from '../view/title.ts'
import { ConversationDrawer } from './conversation-panel.tsx'
import { OpenFile } from './open-file.tsx'

interface HeaderProps {
  readonly chat: Chat
  readonly library: Library
  readonly notices: Notices
}

/** Name, model, window, and what opens another conversation. */
export function Header({ chat, library, notices }: HeaderProps) {
  const isBusy = chat.activity.value !== 'idle'
  return (
    <header class="top">
      <h1>
        Tamp <span class="conversation-title">{openTitle(chat)}</span>
      </h1>
      <div class="tools">
        <ConversationDrawer chat={chat} library={library} />
        <PersonaSelect chat={chat} isBusy={isBusy} />
        <WindowSelect chat={chat} isBusy={isBusy} />
        <OpenFile chat={chat} notices={notices} />
      </div>
    </header>
  )
}

function PersonaSelect({ chat, isBusy }: { chat: Chat; isBusy: boolean }) {
  const id = useId()
  return (
    <span class="field">
      <label for={id}>Model</label>
      <select
        id={id}
        data-testid="persona-select"
        disabled={isBusy}
        value={chat.persona.value.model}
        onChange={(event) => {
          chat.persona.value = personaOf(event.currentTarget.value)
        }}
      >
        {personaChoices.map(({ model, label }) => (
          <option key={model} value={model}>
            {label}
          </option>
        ))}
      </select>
    </span>
  )
}

function WindowSelect({ chat, isBusy }: { chat: Chat; isBusy: boolean }) {
  const id = useId()
  return (
    <span class="field">
      <label for={id}>Window</label>
      <select
        id={id}
        data-testid="window-select"
        disabled={isBusy}
        value={String(chat.windowTokens.value)}
        onChange={(event) => {
          const chosen = windowChoices.find(
            (tokens) => String(tokens) === event.currentTarget.value,
          )
          if (chosen !== undefined) chat.windowTokens.value = chosen
        }}
      >
        {windowChoices.map((tokens) => (
          <option key={tokens} value={String(tokens)}>
            {`${tokens / 1024}k (${formatNumber(tokens)})`}
          </option>
        ))}
      </select>
    </span>
  )
}
