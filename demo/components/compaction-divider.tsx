import { useEffect, useRef } from 'preact/hooks'
import type { Chat } from '../chat/chat.ts'
import type { CompactionView } from '../view/compaction.ts'
import { ScrollText } from './scroll-text.tsx'

/** Stands in the transcript behind what a compaction covers: the next request is made from it, unless undone. */
export function CompactionDivider({ chat, view }: { chat: Chat; view: CompactionView }) {
  const isUndone = view.action === 'redo'
  return (
    <section
      id={isUndone ? 'undone-compaction' : 'compaction'}
      class={isUndone ? 'divider is-undone' : 'divider'}
      data-testid="divider"
      aria-label={isUndone ? 'Undone compaction' : 'Compaction'}
      tabIndex={-1}
    >
      <p class="divider-line">
        <strong>{view.tokens}</strong>
        <span>{view.messages}</span>
        <span>{view.source}</span>
        <span>{view.time}</span>
        {view.cause !== undefined && <span>{view.cause}</span>}
        <UndoOrRedo chat={chat} view={view} />
      </p>
      {view.notes.length > 0 && (
        <details class="fold">
          <summary>What was done</summary>
          <ul class="notes">
            {view.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </details>
      )}
      {view.summary !== undefined && (
        <details class="fold" data-testid="divider-summary">
          <summary>The summary that was sent in place of what stands above</summary>
          <ScrollText text={view.summary} isWrapped />
        </details>
      )}
    </section>
  )
}

function UndoOrRedo({ chat, view: { action } }: { chat: Chat; view: CompactionView }) {
  const isBusy = chat.activity.value !== 'idle'
  const { button, keepFocus } = useKeptFocus(action, isBusy)
  if (action === undefined) return null
  const onClick = () => {
    keepFocus()
    void (action === 'undo' ? chat.undo() : chat.redo())
  }
  return (
    <>
      {action === 'redo' && <span>undone</span>}
      <button
        key={action}
        ref={button}
        type="button"
        class="small"
        data-testid={action}
        disabled={isBusy}
        onClick={onClick}
      >
        {action === 'undo' ? 'Undo' : 'Redo'}
      </button>
    </>
  )
}

/** The button that was pressed gives way to its opposite, which takes the focus once it can be pressed. */
function useKeptFocus(action: CompactionView['action'], isBusy: boolean) {
  const button = useRef<HTMLButtonElement>(null)
  const isWanted = useRef(false)
  useEffect(() => {
    if (isBusy || !isWanted.current) return
    isWanted.current = false
    // Whoever went on to something else meanwhile stays there.
    if (document.activeElement === document.body) button.current?.focus()
  }, [action, isBusy])
  const keepFocus = () => {
    isWanted.current = true
  }
  return { button, keepFocus }
}
