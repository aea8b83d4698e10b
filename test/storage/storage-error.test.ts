import { describe, expect, it } from 'vitest'
import { TampError } from '../../src/core/errors.ts'
import { type StorageStep, storageError } from '../../src/storage/storage-error.ts'

const quota = 'QuotaExceededError'

/** The newer class: no DOMException, with numbers of its own. */
class QuotaExceededError extends Error {
  override readonly name = 'QuotaExceededError'
  readonly quota = 1_000
  readonly requested = 2_000
}

/** What engines said, by engine and fault (BROWSERS 0.7, 1.2, 1.3 and 2.1). */
const corpus: readonly (readonly [string, StorageStep, unknown, string])[] = [
  ['over the quota, any engine', 'commit', new DOMException('', quota), 'quota-exceeded'],
  ['over the quota, newer engines', 'commit', new QuotaExceededError('no'), 'quota-exceeded'],
  ['over the quota, in a put', 'write', new DOMException('', quota), 'quota-exceeded'],
  [
    'Chromium, disk full, opening',
    'open',
    new DOMException(
      'Encountered full disk while opening backing store for indexedDB.open.',
      quota,
    ),
    'quota-exceeded',
  ],
  [
    'Chromium, disk full, commit',
    'commit',
    new DOMException('Encountered disk full while committing transaction.', quota),
    'quota-exceeded',
  ],
  [
    'Chromium, disk full, blobs',
    'commit',
    new DOMException('Failed to write blobs (IOError)', 'DataError'),
    'quota-exceeded',
  ],
  ['Chromium, disk full, log', 'commit', new DOMException('', 'UnknownError'), 'quota-exceeded'],
  [
    'disk full, by words alone',
    'write',
    new DOMException('No space left on device', 'UnknownError'),
    'quota-exceeded',
  ],
  ['WebKit, disk full', 'commit', null, 'quota-exceeded'],
  [
    'Firefox, put after a quota error',
    'write',
    new DOMException('', 'InvalidStateError'),
    'quota-exceeded',
  ],
  ['an error of another realm', 'commit', { name: quota, message: '' }, 'quota-exceeded'],
  [
    'WebKit, network process died',
    'commit',
    new DOMException('Connection to Indexed Database server lost. Refresh …', 'UnknownError'),
    'storage-failed',
  ],
  [
    'any engine, connection closed',
    'read',
    new DOMException('The database connection is closing.', 'InvalidStateError'),
    'storage-failed',
  ],
  [
    'Firefox of old, private window',
    'open',
    new DOMException('… that did not allow mutations.', 'InvalidStateError'),
    'storage-failed',
  ],
  ['Chromium, damaged row', 'read', new DOMException('', 'UnknownError'), 'storage-failed'],
  ['an abort while reading', 'read', null, 'storage-failed'],
  ['a key that is taken', 'write', new DOMException('', 'ConstraintError'), 'storage-failed'],
  ['what has no copy', 'write', new DOMException('', 'DataCloneError'), 'storage-failed'],
  ['an opaque origin', 'open', new DOMException('', 'SecurityError'), 'storage-failed'],
  ['no IndexedDB', 'open', new ReferenceError('indexedDB is not defined'), 'storage-failed'],
  ['a newer database', 'open', new DOMException('', 'VersionError'), 'newer-version'],
]

describe('the name of a storage failure', () => {
  it.each(corpus)('is told by step and words: %s', (_, step, failure, code) => {
    expect(storageError(step, failure)).toMatchObject({ code, details: { step } })
  })

  it("carries the engine's own words as plain data", () => {
    const { message, details } = storageError('commit', new DOMException('IOError', 'DataError'))
    expect(details).toEqual({ step: 'commit', cause: 'DataError: IOError' })
    expect(message).toBe('the store failed to commit: DataError: IOError')
    expect(storageError('open', 'no answer').details).toEqual({ step: 'open', cause: 'no answer' })
    expect(storageError('commit', null).details.cause).toBe('null: aborted without a reason')
  })

  it("leaves Tamp's own errors as they are", () => {
    const error = new TampError('newer-version', 'newer')
    expect(storageError('open', error)).toBe(error)
  })
})
