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

/**
 * True where a compaction of the path was undone, not brought back, and nothing newer was made: nothing is compacted
 * unasked until it must be.
 */
export function isHeldByUndo(log: Log, path: readonly number[]): boolean {
  return redoable(log, path) !== undefined
}

/**
 * Gives back the compaction that a redo would bring back: what was undone last, unless something newer was made, or
 * holds and would hide it.
 */
export function redoable(log: Log, path: readonly number[]): number | undefined {
  const undone = new Set<number>()
  for (const { type, seq } of log.historyOn(path)) {
    if (type === 'made') undone.clear()
    else undone.delete(seq)
    if (type === 'undo') undone.add(seq)
  }
  const active = activeCompaction(log, path)?.seq ?? -1
  return [...undone].findLast((seq) => seq > active)
}
