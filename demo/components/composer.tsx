import type { TargetedKeyboardEvent } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Chat } from '../chat/chat.ts'

/** The message field. Enter sends, Shift+Enter breaks the line, Escape stops the answer. */
export function Composer({ chat }: { chat: Chat }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const isBusy = chat.activity.value !== 'idle'
  useEscape(chat)
  const send = () => {
    const text = chat.draft.value
    if (isBusy || text.trim() === '') return
    chat.draft.value = ''
    void chat.send(text)
    field.current?.focus()
  }
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLTextAreaElement>) => {
    // A key that finishes a composed character is no wish to send.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <label class="unseen" for="composer">
        Message
      </label>
      <textarea
        ref={field}
        id="composer"
        data-testid="composer"
        rows={2}
        dir="auto"
        enterkeyhint="send"
        placeholder="Write a message"
        value={chat.draft.value}
        onInput={(event) => {
          chat.draft.value = event.currentTarget.value
        }}
        onKeyDown={onKeyDown}
      />
      <SendOrStop chat={chat} isBusy={isBusy} />
    </form>
  )
}

function SendOrStop({ chat, isBusy }: { chat: Chat; isBusy: boolean }) {
  if (isBusy) {
    return (
      <button type="button" class="primary" data-testid="stop" onClick={chat.stop}>
        Stop
      </button>
    )
  }
  const isEmpty = chat.draft.value.trim() === ''
  return (
    <button type="submit" class="primary" data-testid="send" aria-disabled={isEmpty}>
      Send
    </button>
  )
}

function useEscape(chat: Chat): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || chat.activity.value === 'idle') return
      // An open dialog takes the key first: it closes, and the answer goes on.
      if (document.querySelector('dialog[open]') === null) chat.stop()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [chat])
}
