import type { Chat } from '../chat/chat.ts'
import { canChat } from '../chat/opening.ts'

/** What went wrong, in plain words with its numbers, and what can be done. */
export function FailureBox({ chat }: { chat: Chat }) {
  const failure = chat.failure.value
  if (failure === undefined) return null
  return (
    <div class="failure" role="alert" data-testid="error">
      <p>
        <strong>{failure.title}</strong> {failure.text}
      </p>
      {failure.facts.length > 0 && (
        <dl class="facts">
          {failure.facts.map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      <Remedies chat={chat} />
    </div>
  )
}

function Remedies({ chat }: { chat: Chat }) {
  const end = chat.path.value.length - 1
  const last = chat.path.value[end]?.native
  const isUnanswered = canChat(chat.about.value) && last?.role !== 'assistant'
  const close = () => {
    chat.failure.value = undefined
  }
  return (
    <p class="actions">
      {isUnanswered && last !== undefined && (
        <button type="button" onClick={() => chat.retry()}>
          Try again
        </button>
      )}
      {isUnanswered && last?.role === 'user' && (
        <button type="button" onClick={() => chat.edit(end)}>
          Change the message
        </button>
      )}
      <button type="button" onClick={close}>
        Close
      </button>
    </p>
  )
}
