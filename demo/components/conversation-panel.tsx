import { useRef } from 'preact/hooks'
import type { Chat } from '../chat/chat.ts'
import type { Library } from '../chat/library.ts'
import { storageWords } from '../view/storage.ts'
import { ConversationList } from './conversation-list.tsx'
import { ConversationTransfer } from './conversation-transfer.tsx'
import { useMedia } from './use-media.ts'

interface PanelProps {
  readonly chat: Chat
  readonly library: Library
}

/** The conversations beside the talk where there is room for them. */
export function ConversationPanel(props: PanelProps) {
  if (!useMedia('(min-width: 75rem)')) return null
  return (
    <aside class="side" aria-label="All conversations">
      <PanelContent {...props} onChosen={() => {}} />
    </aside>
  )
}

/** The same in a drawer, opened by a button, where there is none. */
export function ConversationDrawer(props: PanelProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const isBeside = useMedia('(min-width: 75rem)')
  if (isBeside) return null
  const close = () => dialog.current?.close()
  return (
    <>
      <button
        type="button"
        data-testid="drawer-open"
        onClick={() => {
          void props.library.refresh()
          dialog.current?.showModal()
        }}
      >
        Conversations
      </button>
      <dialog ref={dialog} class="drawer" aria-label="Conversations">
        <form method="dialog" class="drawer-head">
          <h2>Conversations</h2>
          <button type="submit">Close</button>
        </form>
        <PanelContent {...props} onChosen={close} />
      </dialog>
    </>
  )
}

function PanelContent({ chat, library, onChosen }: PanelProps & { onChosen: () => void }) {
  const { text, isWarning } = storageWords(chat.snapshot.value?.storage)
  const startNew = () => {
    chat.startNew()
    onChosen()
  }
  return (
    <>
      <button type="button" onClick={startNew} data-testid="new-chat">
        New chat
      </button>
      <ConversationList chat={chat} library={library} onChosen={onChosen} />
      <ConversationTransfer library={library} onChosen={onChosen} />
      <p class={isWarning ? 'storage is-warning' : 'storage'} data-testid="storage">
        {text}
      </p>
    </>
  )
}
