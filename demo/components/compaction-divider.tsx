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

function UndoOrRedo({ chat, view }: { chat: Chat; view: CompactionView }) {
  if (view.action === undefined) return null
  const isBusy = chat.activity.value !== 'idle'
  return view.action === 'undo' ? (
    <button
      type="button"
      class="small"
      data-testid="undo"
      disabled={isBusy}
      onClick={() => chat.undo()}
    >
      Undo
    </button>
  ) : (
    <>
      <span>undone</span>
      <button
        type="button"
        class="small"
        data-testid="redo"
        disabled={isBusy}
        onClick={() => chat.redo()}
      >
        Redo
      </button>
    </>
  )
}
