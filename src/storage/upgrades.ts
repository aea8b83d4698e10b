/** What a step works on: the database in the middle of its upgrade. */
export interface Upgrading {
  readonly database: IDBDatabase
  /** The transaction of the upgrade, for stores that are there already. */
  readonly transaction: IDBTransaction
}

/** Takes a database from one version to the next. */
export type Upgrade = (upgrading: Upgrading) => void

/**
 * The steps of the schema: the one at index n makes version n + 1 out of version n. Steps are added at the end and
 * never edited once released, since databases that went through them are out there.
 */
export const upgrades: readonly Upgrade[] = [createStores, storeInBatches]

/** Runs the steps that a database of `version` has not been through. */
export function upgradeFrom(
  version: number,
  steps: readonly Upgrade[],
  upgrading: Upgrading,
): void {
  for (const step of steps.slice(version)) step(upgrading)
}

function createStores({ database }: Upgrading): void {
  database.createObjectStore('conversations', { keyPath: 'conversation' })
  const log = database.createObjectStore('log', { keyPath: ['incarnation', 'seq'] })
  // Rows without a key are not in the index: only messages and forgotten ones have one.
  log.createIndex('key', ['incarnation', 'key'], { unique: true })
  database.createObjectStore('drafts', { keyPath: ['incarnation', 'turnId'] })
  // One row an incarnation, derived from its log.
  database.createObjectStore('search')
  database.createObjectStore('settings')
}

/**
 * A row now holds several entries and none has a key of its own. Which key is taken is decided where the whole log is
 * seen; that no number is given twice the transaction sees, which reads the end of the log before it writes.
 */
function storeInBatches({ transaction }: Upgrading): void {
  transaction.objectStore('log').deleteIndex('key')
}
