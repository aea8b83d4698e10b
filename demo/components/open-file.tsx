import type { Chat } from '../chat/chat.ts'
import type { Notices } from '../chat/notices.ts'
import { openConversation } from '../files/open-conversation.ts'

/** Opens a JSON file with a message array of either format. */
export function OpenFile({ chat, notices }: { chat: Chat; notices: Notices }) {
  const openFirst = async (input: HTMLInputElement) => {
    const file = input.files?.[0]
    if (file === undefined) return
    const text = await file.text()
    // The same file can be chosen again only when the field is empty.
    input.value = ''
    showOpened(chat, notices, openConversation(file.name, text))
  }
  return (
    <label class="button">
      Open file
      <input
        class="unseen"
        type="file"
        accept=".json,application/json"
        data-testid="open-file"
        onChange={(event) => openFirst(event.currentTarget)}
      />
    </label>
  )
}

function showOpened(
  chat: Chat,
  notices: Notices,
  opened: ReturnType<typeof openConversation>,
): void {
  if (opened.type === 'problem') {
    chat.failure.value = { title: 'This file cannot be opened', text: opened.text, facts: [] }
    return
  }
  notices.announcement.value = `Opened ${opened.opening.title}`
  void chat.openFile(opened.opening)
}
