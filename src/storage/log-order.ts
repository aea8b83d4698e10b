import type { TampError } from '../core/errors.ts'
import type { LogEntry } from '../core/log/entry.ts'
import { storageError } from './storage-error.ts'

/**
 * Gives back new entries, oldest first. Throws `storage-failed` where a number is below `next`, the first one that is
 * free, or given twice.
 */
export function inOrder(added: readonly LogEntry[], next: number): readonly LogEntry[] {
  const entries = added.toSorted((a, b) => a.seq - b.seq)
  let free = next
  for (const { seq } of entries) {
    if (seq < free) throw conflict(`seq ${seq} is taken`)
    free = seq + 1
  }
  return entries
}

/** The error for a change that does not fit what is stored. */
export function conflict(problem: string): TampError {
  return storageError('write', `ConstraintError: ${problem}`)
}
