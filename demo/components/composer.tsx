import type { TargetedInputEvent, TargetedKeyboardEvent } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Chat } from '../chat/chat.ts'

/** The message field. Enter sends, Shift+Enter breaks the line, Escape stops the answer. */
export function Composer({ chat }: { chat: Chat }) {
  const field = useRef<HTMLTextAreaElement>(null)
  useEscape(chat)
  const send = () => {
    sendDraft(chat)
    field.current?.focus()
  }
  const onSubmit = (event: Event) => {
    event.preventDefault()
    send()
  }
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLTextAreaElement>) => {
    // A key that finishes a composed character is no wish to send.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <form class="composer" onSubmit={onSubmit}>
      <EditingLine chat={chat} />
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
        onInput={keepDraft(chat)}
        onKeyDown={onKeyDown}
      />
      <SendOrStop chat={chat} />
    </form>
  )
}

function EditingLine({ chat }: { chat: Chat }) {
  if (chat.editing.value === undefined) return null
  return (
    <p class="editing" data-testid="editing">
      <span>
        You are changing an earlier message. The old one and what followed it stay as another
        version.
      </span>
      <button type="button" class="small" onClick={chat.cancelEdit}>
        Cancel
      </button>
    </p>
  )
}

function keepDraft(chat: Chat) {
  return (event: TargetedInputEvent<HTMLTextAreaElement>) => {
    chat.draft.value = event.currentTarget.value
  }
}

function sendDraft(chat: Chat): void {
  const text = chat.draft.value
  const isBusy = chat.isOpening.value || chat.activity.value !== 'idle'
  if (isBusy || text.trim() === '') return
  chat.draft.value = ''
  void chat.send(text)
}

function SendOrStop({ chat }: { chat: Chat }) {
  if (chat.activity.value !== 'idle') {
    return (
      <button type="button" class="primary" data-testid="stop" onClick={chat.stop}>
        Stop
      </button>
    )
  }
  // What is written stays in the field until it can be sent.
  if (chat.isOpening.value) {
    return (
      <button type="submit" class="primary" data-testid="opening" aria-disabled="true">
        Opening…
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
