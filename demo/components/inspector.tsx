import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Chat } from '../chat/chat.ts'
import type { SentRequest } from '../chat/sent.ts'
import { formatNumber } from '../view/numbers.ts'
import { fatesIn, fateWords, type PayloadSide, payloadSides } from '../view/payload.ts'
import { ScrollText } from './scroll-text.tsx'
import { useNewest } from './use-newest.ts'

/** The button and the dialog that show what the last request held, beside the full history. */
export function Inspector({ chat }: { chat: Chat }) {
  const sent = chat.sent.value
  const dialog = useRef<HTMLDialogElement>(null)
  // Two long lists that nobody looks at would make every answer slow.
  const isOpen = useSignal(false)
  const open = () => {
    isOpen.value = true
    dialog.current?.showModal()
  }
  return (
    <>
      <button
        type="button"
        data-testid="inspector-open"
        disabled={sent === undefined}
        onClick={open}
      >
        Show what was sent
      </button>
      <dialog
        ref={dialog}
        class="inspector"
        data-testid="inspector"
        aria-label="What was sent"
        onClose={() => {
          isOpen.value = false
        }}
      >
        <form method="dialog" class="inspector-head">
          <h2>What was sent</h2>
          <button type="submit">Close</button>
        </form>
        {isOpen.value && sent !== undefined && <Sides chat={chat} sent={sent} />}
      </dialog>
    </>
  )
}

function Sides({ chat, sent }: { chat: Chat; sent: SentRequest }) {
  const sides = payloadSides(sent, useHistoryTokens(chat, sent))
  return (
    <>
      <dl class="fates">
        {fatesIn(sides).map((fate) => (
          <div key={fate}>
            <dt>{fate}</dt>
            <dd>{fateWords[fate]}</dd>
          </div>
        ))}
      </dl>
      <div class="sides">
        <Side side={sides.sent} testId="inspector-sent" />
        <Side side={sides.history} testId="inspector-history" />
      </div>
      <details class="fold sent-bytes">
        <summary>The request, byte for byte as it left</summary>
        <div data-testid="sent-bytes">
          <ScrollText text={JSON.stringify(sent.fitted)} isWrapped />
        </div>
      </details>
    </>
  )
}

/** Counted on demand: most requests are never looked at. */
function useHistoryTokens(chat: Chat, { full }: SentRequest): number | undefined {
  const counted = useSignal<{ full: SentRequest['full']; tokens: number | undefined } | undefined>(
    undefined,
  )
  useEffect(() => {
    void chat.countHistory(full).then((tokens) => {
      counted.value = { full, tokens }
    })
  }, [chat, full])
  return counted.value?.full === full ? counted.value.tokens : undefined
}

function Side({ side, testId }: { side: PayloadSide; testId: string }) {
  const { shown, earlier, showEarlier } = useNewest(side.messages, testId)
  return (
    <section data-testid={testId}>
      <h3>{side.title}</h3>
      <p class="quiet">{side.counts}</p>
      <details class="fold">
        <summary>Other fields of the request</summary>
        <ScrollText text={side.otherFields} isWrapped />
      </details>
      {earlier > 0 && (
        <button type="button" onClick={showEarlier}>
          {`Show earlier messages (${formatNumber(earlier)})`}
        </button>
      )}
      <ol class="payload">
        {shown.map((message, index) => (
          <li
            key={earlier + index}
            class={`payload-message fate-${message.fate.replaceAll(' ', '-')}`}
          >
            <p class="payload-head">
              <span>{message.role}</span>
              <span class="fate">{message.fate}</span>
            </p>
            <ScrollText text={message.json} isWrapped />
          </li>
        ))}
      </ol>
    </section>
  )
}
