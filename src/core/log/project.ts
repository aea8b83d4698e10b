import { composeEdits, type Edit } from '../edit.ts'
import type { CompactionEntry } from './entry.ts'
import type { Log } from './log.ts'

/** What holds on a path before anything new is decided. */
export interface Standing {
  /** The newest compaction, not undone, whose messages all lie on the path. */
  readonly compaction: CompactionEntry | undefined
  /** All edits from the originals to the view. */
  readonly edits: readonly Edit[]
  /** What came behind this depth is joined to nothing (`View.joinDepth`). */
  readonly joinDepth: number | undefined
}

/**
 * Gives back what a path projects to (DESIGN 3): the edits of new results that were shrunk, and those of the newest
 * compaction, not undone, whose covered messages all lie on the path. Derived each time, stored never.
 */
export function standingOn(log: Log, path: readonly number[]): Standing {
  const compaction = activeCompaction(log, path)
  const captured = log
    .captures()
    .flatMap(({ edits }) => edits.filter((edit) => 'seq' in edit && log.isOn(path, edit.seq)))
  return {
    compaction,
    edits: composeEdits(captured, compaction?.edits ?? []),
    joinDepth: compaction?.depth,
  }
}

/** Gives back the newest compaction that holds on a path and is not undone. */
export function activeCompaction(log: Log, path: readonly number[]): CompactionEntry | undefined {
  return log.compactionsOn(path).findLast(({ seq }) => !log.isUndone(seq))
}

/** True where the last thing that happened on the path was an undo: nothing is compacted unasked until it must be. */
export function isHeldByUndo(log: Log, path: readonly number[]): boolean {
  return log.historyOn(path).at(-1)?.type === 'undo'
}

/** Gives back the compaction that a redo would bring back: what was undone last, unless something newer was made. */
export function redoable(log: Log, path: readonly number[]): number | undefined {
  const undone: number[] = []
  for (const { type, seq } of log.historyOn(path)) {
    if (type === 'made') undone.length = 0
    else if (type === 'undo') undone.push(seq)
    else undone.splice(undone.lastIndexOf(seq), 1)
  }
  return undone.at(-1)
}
