import { type Signal, useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { Chat } from '../chat/chat.ts'
import { limitOf } from '../chat/window.ts'
import { formatNumber } from '../view/numbers.ts'

/** Stands in place of the composer where the simulator does not speak the format: fits without sending. */
export function FitPanel({ chat }: { chat: Chat }) {
  const typed = useSignal(String(limitOf(chat.windowTokens.value)))
  const limitTokens = Number(typed.value)
  const isLimit = Number.isInteger(limitTokens) && limitTokens > 0
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        if (isLimit) void chat.fitTo(limitTokens)
      }}
    >
      <p id="composer" tabIndex={-1} class="quiet">
        This conversation is in Anthropic’s format, which the simulator does not speak. It can be
        measured and fitted.
      </p>
      <LimitField typed={typed} />
      <button
        type="submit"
        class="primary"
        data-testid="fit"
        disabled={chat.isOpening.value || chat.activity.value !== 'idle'}
      >
        {isLimit ? `Fit to ${formatNumber(limitTokens)} tokens` : 'Fit'}
      </button>
    </form>
  )
}

function LimitField({ typed }: { typed: Signal<string> }) {
  const id = useId()
  return (
    <span class="field">
      <label for={id}>Limit in tokens</label>
      <input
        id={id}
        data-testid="fit-limit"
        // Not `number`: its value is empty while it is being typed, and a wheel changes it unasked.
        type="text"
        inputMode="numeric"
        pattern="[1-9][0-9]*"
        title="A whole number of tokens"
        required
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value
        }}
      />
    </span>
  )
}
