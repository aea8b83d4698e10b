import type { Chat } from '../chat/chat.ts'
import { suggestionsFor } from '../samples/suggestions.ts'

/** What is worth saying next, with one click. */
export function Suggestions({ chat }: { chat: Chat }) {
  const messages = chat.path.value.map(({ native }) => native)
  const suggestions = suggestionsFor(chat.about.value, messages, chat.persona.value.model)
  if (suggestions.length === 0) return null
  const isBusy = chat.activity.value !== 'idle'
  return (
    <ul class="chips" aria-label="Suggestions">
      {suggestions.map(({ label, text }) => (
        <li key={label}>
          <button
            type="button"
            class="chip"
            data-testid="chip"
            aria-disabled={isBusy}
            onClick={() => chat.send(text)}
          >
            {label}
          </button>
        </li>
      ))}
    </ul>
  )
}
