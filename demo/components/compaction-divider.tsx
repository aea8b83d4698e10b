import type { CompactionView } from '../view/compaction.ts'
import { ScrollText } from './scroll-text.tsx'

/** Stands in the transcript where the kept tail begins: what is above was folded for the last request. */
export function CompactionDivider({ view }: { view: CompactionView }) {
  return (
    <section
      id="compaction"
      class="divider"
      data-testid="divider"
      aria-label="Compaction"
      tabIndex={-1}
    >
      <p class="divider-line">
        <strong>{view.tokens}</strong>
        <span>{view.messages}</span>
        <span>{view.source}</span>
        <span>{view.time}</span>
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
