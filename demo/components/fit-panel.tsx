import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { Chat } from '../chat/chat.ts'
import { limitOf } from '../chat/window.ts'
import { formatNumber } from '../view/numbers.ts'

/** Stands in place of the composer where the simulator does not speak the format: fits without sending. */
export function FitPanel({ chat }: { chat: Chat }) {
  const id = useId()
  const limit = useSignal(limitOf(chat.windowTokens.value))
  const isBusy = chat.activity.value !== 'idle'
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        void chat.fitTo(limit.value)
      }}
    >
      <p id="composer" tabIndex={-1} class="quiet">
        This conversation is in Anthropic’s format, which the simulator does not speak. It can be
        measured and fitted.
      </p>
      <span class="field">
        <label for={id}>Limit in tokens</label>
        <input
          id={id}
          data-testid="fit-limit"
          type="number"
          min={1}
          required
          value={limit.value}
          onInput={(event) => {
            limit.value = event.currentTarget.valueAsNumber
          }}
        />
      </span>
      <button type="submit" class="primary" data-testid="fit" disabled={isBusy}>
        {Number.isNaN(limit.value) ? 'Fit' : `Fit to ${formatNumber(limit.value)} tokens`}
      </button>
    </form>
  )
}
