import type { Chat } from '../chat/chat.ts'
import type { PathMessage } from '../chat/path.ts'

interface MessageActionsProps {
  readonly chat: Chat
  readonly message: PathMessage
  /** Its index in the path. */
  readonly index: number
}

/** What can be done with one message: say it anew, ask for it anew, look at its other versions. */
export function MessageActions({ chat, message, index }: MessageActionsProps) {
  const { role } = message.native
  const isBusy = chat.activity.value !== 'idle'
  const isLast = chat.path.value.length === index + 1
  const isTurnEnd = isLast || chat.path.value[index + 1]?.native.role === 'user'
  const isReply = role === 'assistant' && isTurnEnd
  if (role !== 'user' && !isReply && message.branches.length < 2) return null
  return (
    <p class="message-actions">
      {role === 'user' && (
        <button
          type="button"
          class="small"
          data-testid="edit"
          disabled={isBusy}
          onClick={() => {
            chat.edit(index)
            document.getElementById('composer')?.focus()
          }}
        >
          Edit
        </button>
      )}
      {isReply && (
        <button
          type="button"
          class="small"
          data-testid="regenerate"
          disabled={isBusy}
          onClick={() => chat.regenerate(index)}
        >
          {message.interrupted ? 'Try again' : 'Regenerate'}
        </button>
      )}
      <BranchSwitch chat={chat} message={message} />
    </p>
  )
}

function BranchSwitch({ chat, message }: Omit<MessageActionsProps, 'index'>) {
  const { branches, seq } = message
  const place = seq === undefined ? -1 : branches.indexOf(seq)
  if (branches.length < 2 || place < 0) return null
  const step = (by: number, sign: string, label: string) => {
    const target = branches[place + by]
    return (
      <button
        type="button"
        class="small"
        data-testid={by < 0 ? 'branch-previous' : 'branch-next'}
        aria-label={label}
        disabled={target === undefined || chat.activity.value !== 'idle'}
        onClick={() => target !== undefined && chat.showBranch(target)}
      >
        {sign}
      </button>
    )
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: two buttons are no form, and a fieldset has a frame
    <span class="branches" role="group" aria-label="Versions">
      {step(-1, '‹', 'Previous version')}
      <span data-testid="branch-place">{`${place + 1}/${branches.length}`}</span>
      {step(1, '›', 'Next version')}
    </span>
  )
}
