import { TampError, type TampErrorCode } from '../core/errors.ts'

/** What a store was doing when it failed. */
export type StorageStep = 'open' | 'read' | 'write' | 'commit'

/** One shape of a failure. A row without `name` or `message` fits any. */
interface Shape {
  readonly steps: readonly StorageStep[]
  readonly name?: RegExp
  readonly message?: RegExp
  readonly code: TampErrorCode
}

const always: readonly StorageStep[] = ['open', 'read', 'write', 'commit']
const writing: readonly StorageStep[] = ['write', 'commit']

/**
 * The first row that fits names the failure; what fits none is `storage-failed`. A full disk rarely looks like a
 * quota error (BROWSERS 0.7), and the same name means another thing at another step.
 */
const shapes: readonly Shape[] = [
  { steps: ['open'], name: /^VersionError$/, code: 'newer-version' },
  // A DOMException of old, in newer engines a class of its own. Chromium: "Encountered full disk while opening
  // backing store", "Encountered disk full while committing transaction".
  {
    steps: always,
    name: /^(QuotaExceededError|NS_ERROR_DOM_INDEXEDDB_QUOTA_ERR)$/,
    code: 'quota-exceeded',
  },
  // Chromium: DataError "Failed to write blobs (IOError)".
  {
    steps: writing,
    message: /IO ?error|disk (is )?full|full disk|no space|failed to write blobs|\bquota\b/i,
    code: 'quota-exceeded',
  },
  // WebKit when its network process died, and any engine that closed the connection: no question of room.
  { steps: always, message: /server lost|connection|closing|closed/i, code: 'storage-failed' },
  // Chromium with a full disk, where LevelDB could not write.
  { steps: ['commit'], name: /^UnknownError$/, code: 'quota-exceeded' },
  // WebKit with a full disk: the transaction aborts and its error is null.
  { steps: writing, name: /^null$/, code: 'quota-exceeded' },
  // Firefox, in the transaction after one that failed for want of room: `put` itself throws. A closed connection
  // throws the same where the transaction is opened, which is another step.
  { steps: ['write'], name: /^InvalidStateError$/, code: 'quota-exceeded' },
]

/**
 * Gives back the failure under Tamp's own name: `quota-exceeded`, `newer-version` or `storage-failed`, with the step
 * and the engine's own words. `undefined` and `null` stand for an abort that the engine gave no reason for.
 */
export function storageError(step: StorageStep, failure: unknown): TampError {
  if (failure instanceof TampError) return failure
  const { name, message } = wordsOf(failure)
  const fitting = shapes.find(
    (shape) =>
      shape.steps.includes(step) &&
      (shape.name?.test(name) ?? true) &&
      (shape.message?.test(message) ?? true),
  )
  const code = fitting?.code ?? 'storage-failed'
  const cause = [name, message].filter((words) => words !== '').join(': ')
  return new TampError(code, `the store failed to ${step}: ${cause}`, { step, cause })
}

/** Errors of engines cross realms: what has a name counts as one. */
function wordsOf(failure: unknown): { readonly name: string; readonly message: string } {
  if (failure === undefined || failure === null)
    return { name: 'null', message: 'aborted without a reason' }
  if (typeof failure !== 'object') return { name: '', message: String(failure) }
  const { name = 'Error', message = '' }: { name?: unknown; message?: unknown } = failure
  return { name: String(name), message: String(message) }
}
