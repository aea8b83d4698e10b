import {
  type DBSchema,
  type IDBPDatabase,
  type IDBPTransaction,
  openDB,
  type StoreNames,
  unwrap,
} from 'idb'
import type { ConversationHead } from '../core/log/entry.ts'
import { Connection, type ConnectionEvents } from './connection.ts'
import { withDeadline } from './deadline.ts'
import { type DeflatedNatives, deflateLarge } from './deflate.ts'
import { newestFirst } from './heads.ts'
import { conflict, inOrder } from './log-order.ts'
import type {
  Change,
  ChangeOutcome,
  ChangeRequest,
  LogStore,
  StoredConversation,
  StoreSignal,
} from './log-store.ts'
import {
  batchRowsOf,
  type DraftRow,
  entriesOf,
  holds,
  type Inflated,
  inflateRows,
  type LogRow,
  rewrittenRow,
  type StoredRows,
  slotsToInflate,
} from './rows.ts'
import { type StorageStep, storageError } from './storage-error.ts'
import { type Upgrade, upgradeFrom, upgrades } from './upgrades.ts'

export interface IdbStoreOptions {
  /** Name of the database. */
  readonly name: string
  /** How long opening may take, an upgrade that another tab blocks included. Default 10,000. */
  readonly openMs?: number
  /** How long a transaction may call nothing back. Default 15,000. */
  readonly answerMs?: number
  /** Steps of the schema; tests hand in others. */
  readonly upgrades?: readonly Upgrade[]
}

interface TampSchema extends DBSchema {
  conversations: { key: string; value: ConversationHead }
  log: { key: [string, number]; value: LogRow }
  drafts: { key: [string, string]; value: DraftRow }
  search: { key: string; value: unknown }
  settings: { key: string; value: unknown }
}

type Database = IDBPDatabase<TampSchema>
type Stores = StoreNames<TampSchema>[]
type Reading = IDBPTransaction<TampSchema, Stores, 'readonly' | 'readwrite'>
type Writing = IDBPTransaction<TampSchema, Stores, 'readwrite'>

/** A transaction under way, and the connection that it runs on. */
interface Running<Transaction> {
  readonly database: Database
  readonly transaction: Transaction
}

/** What a round of a change needs beside its transaction. */
interface Round {
  readonly request: ChangeRequest
  readonly deflated: DeflatedNatives
  readonly inflated: Inflated
}

/** A change starts over when another tab stored large natives meanwhile; nobody is faster than this many times. */
const MAX_ROUNDS = 20

/**
 * Gives back a store over IndexedDB. Nothing is opened before the first call. Each change is one transaction with
 * strict durability: with less, a power cut takes what was acknowledged, and in Firefox one relaxed writer takes the
 * strict rows of others with it (BROWSERS 0.3, 0.4).
 */
export function idbStore(options: IdbStoreOptions): LogStore {
  return new IdbStore(options)
}

class IdbStore implements LogStore {
  readonly durable = true
  private readonly answerMs: number
  private readonly listeners: ((signal: StoreSignal) => void)[] = []
  private readonly connection: Connection<Database>

  constructor(options: IdbStoreOptions) {
    this.answerMs = options.answerMs ?? 15_000
    this.connection = new Connection({
      open: (events) => openDatabase(options.name, options.upgrades ?? upgrades, events),
      openMs: options.openMs ?? 10_000,
      tell: (signal) => {
        for (const listener of this.listeners) listener(signal)
      },
    })
  }

  async heads(): Promise<readonly ConversationHead[]> {
    const running = await this.begin(beginReading)
    return newestFirst(await this.answer('read', running, readHeads(running.transaction)))
  }

  async read(conversation: string): Promise<StoredConversation> {
    const running = await this.begin(beginReading)
    const request = { conversation, incarnation: undefined, fromSeq: 0 }
    const rows = await this.answer('read', running, readRows(running.transaction, request))
    return foundIn(rows, await inflateRows(rows))
  }

  async change(
    request: ChangeRequest,
    decide: (found: StoredConversation) => Change | undefined,
  ): Promise<ChangeOutcome> {
    const deflated = await deflateLarge(request.natives).catch((error: unknown) => {
      throw storageError('write', error)
    })
    let inflated: Inflated = new Map()
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const outcome = await this.attempt({ request, deflated, inflated }, decide)
      if ('found' in outcome) return outcome
      inflated = await inflateRows(outcome)
    }
    throw storageError('read', `the conversation changed ${MAX_ROUNDS} times while it was read`)
  }

  onSignal(listener: (signal: StoreSignal) => void): void {
    this.listeners.push(listener)
  }

  close(): void {
    this.connection.close()
  }

  /**
   * One transaction. Gives back the rows instead of an outcome where natives among them have to be inflated first:
   * that takes more than requests, and a transaction that waits for anything else closes itself.
   */
  private async attempt(
    { request, deflated, inflated }: Round,
    decide: (found: StoredConversation) => Change | undefined,
  ): Promise<ChangeOutcome | StoredRows> {
    const running = await this.begin(beginWriting)
    const { transaction } = running
    const rows = await this.answer('read', running, readRows(transaction, request))
    if (slotsToInflate(rows, inflated).length > 0) return rows
    const found = foundIn(rows, inflated)
    const done = within(transaction, () => decide(found))
    if (!done) return { found, done }
    const replaced = await this.answer('read', running, readReplaced(transaction, done))
    const changed = within(transaction, () => changedRows(done, { rows, replaced, deflated }))
    await this.store(running, writes(transaction, done, { found, changed }))
    return { found, done }
  }

  /**
   * Opens a transaction. A connection may be closed without an event; then none can be made and nothing was begun,
   * and another connection is tried once.
   */
  private async begin<T extends Reading>(make: (database: Database) => T): Promise<Running<T>> {
    const database = await this.connection.get()
    try {
      return start(database, make)
    } catch (error) {
      if (!hasName(error, 'InvalidStateError')) throw storageError('read', error)
    }
    this.connection.drop(database)
    const another = await this.connection.get()
    try {
      return start(another, make)
    } catch (error) {
      throw storageError('read', error)
    }
  }

  /** Issues all requests of a change at once and waits for how the transaction ends. */
  private async store(
    running: Running<Writing>,
    requests: Iterable<Promise<unknown>>,
  ): Promise<void> {
    const { transaction } = running
    const { operations, thrown } = issue(transaction, requests)
    // All, not the first: requests cut off by an abort say AbortError, and only the transaction knows why.
    const settled = Promise.allSettled([...operations, transaction.done])
    const outcomes = await this.answer('commit', running, settled, operations)
    const failures = [...thrown, ...reasonsOf(outcomes.slice(0, -1))]
    const failed = failures.find((error) => !hasName(error, 'AbortError'))
    // The transaction may say that it completed although a request threw: it never had that request.
    if (failed !== undefined) throw storageError('write', failed)
    if (reasonsOf(outcomes).length > 0) throw storageError('commit', unwrap(transaction).error)
  }

  /** Waits for the engine. What does not answer is aborted, and its connection let go of. */
  private async answer<T>(
    step: StorageStep,
    { database, transaction }: Running<Reading>,
    promise: Promise<T>,
    signs: readonly Promise<unknown>[] = [],
  ): Promise<T> {
    const silent = storageError(step, `no answer within ${this.answerMs} ms`)
    try {
      return await withDeadline(promise, this.answerMs, () => silent, signs)
    } catch (error) {
      if (error === silent) {
        abort(transaction)
        this.connection.drop(database)
      }
      // A request that an abort cut off does not know why.
      throw storageError(step, hasName(error, 'AbortError') ? unwrap(transaction).error : error)
    }
  }
}

function openDatabase(
  name: string,
  steps: readonly Upgrade[],
  { blocked, superseded, closed }: ConnectionEvents,
): Promise<Database> {
  let failed: readonly unknown[] = []
  const opening = openDB<TampSchema>(name, steps.length, {
    blocked,
    blocking: superseded,
    terminated: closed,
    upgrade(database, version, _, transaction) {
      transaction.done.catch(() => {}) // the open itself fails then
      try {
        upgradeFrom(version, steps, {
          database: unwrap(database),
          transaction: unwrap(transaction),
        })
      } catch (error) {
        // Thrown on, it would reach the page as an uncaught error and the caller as a bare AbortError.
        failed = [error]
        transaction.abort()
      }
    },
  })
  return opening.catch((error: unknown) => {
    throw failed.length > 0 ? failed[0] : error
  })
}

const allStores: Stores = ['conversations', 'log', 'drafts', 'search']

function beginReading(database: Database): Reading {
  return database.transaction(allStores, 'readonly')
}

function beginWriting(database: Database): Writing {
  return database.transaction(allStores, 'readwrite', { durability: 'strict' })
}

function start<T extends Reading>(database: Database, make: (database: Database) => T): Running<T> {
  const transaction = make(database)
  transaction.done.catch(() => {}) // whoever waits for it has a branch of its own
  return { database, transaction }
}

/** Asynchronous, so that what a request throws rejects as what it answers does. */
async function readHeads(transaction: Reading): Promise<readonly ConversationHead[]> {
  return transaction.objectStore('conversations').getAll()
}

async function readRows(
  transaction: Reading,
  { conversation, incarnation, fromSeq }: Omit<ChangeRequest, 'natives'>,
): Promise<StoredRows> {
  const head = await transaction.objectStore('conversations').get(conversation)
  if (head === undefined) return { head, log: [], from: 0, drafts: [] }
  const from = head.incarnation === incarnation ? fromSeq : 0
  const [log, drafts] = await Promise.all([
    readLog(transaction, rowsFrom(head.incarnation, from)),
    transaction.objectStore('drafts').getAll(rowsOf(head.incarnation)),
  ])
  return { head, log, from, drafts }
}

/**
 * Chromium takes three to four times as long to answer one request for 6 MB of rows as to answer many for a few rows
 * each, all asked for at once; with more than this many rows a request the gain is lost again.
 */
const ROWS_A_REQUEST = 4

async function readLog(transaction: Reading, range: IDBKeyRange): Promise<readonly LogRow[]> {
  const log = transaction.objectStore('log')
  const keys = await log.getAllKeys(range)
  const requests: Promise<readonly LogRow[]>[] = []
  for (let at = 0; at < keys.length; at += ROWS_A_REQUEST) {
    const [first, ...others] = keys.slice(at, at + ROWS_A_REQUEST)
    requests.push(log.getAll(IDBKeyRange.bound(first, others.at(-1) ?? first)))
  }
  return (await Promise.all(requests)).flat()
}

/** Reads the rows that hold the entries that are to be replaced. */
async function readReplaced(
  transaction: Writing,
  { head, replace = [], erase }: Change,
): Promise<readonly LogRow[]> {
  if (erase || replace.length === 0) return []
  const log = transaction.objectStore('log')
  // The first row from a `seq` on is the one that holds it.
  const reads = replace.map(({ seq }) => log.get(rowsFrom(head.incarnation, seq)))
  const rows = (await Promise.all(reads)).filter((row) => row !== undefined)
  return [...new Map(rows.map((row) => [row.seq, row])).values()]
}

/** Rows of the log as a change writes them. */
interface ChangedRows {
  readonly rewritten: readonly LogRow[]
  readonly added: readonly LogRow[]
}

interface RowsBefore {
  readonly rows: StoredRows
  readonly replaced: readonly LogRow[]
  readonly deflated: DeflatedNatives
}

/** Makes the rows of a change. Throws `storage-failed` where a number is taken, or nothing is there to be replaced. */
function changedRows(
  { head: { incarnation }, add = [], replace = [], erase }: Change,
  { rows, replaced, deflated }: RowsBefore,
): ChangedRows {
  const goesOn = !erase && rows.head?.incarnation === incarnation
  const next = goesOn ? (rows.log.at(-1)?.seq ?? rows.from - 1) + 1 : 0
  const added = batchRowsOf(incarnation, inOrder(add, next), deflated)
  const lost = replace.find(({ seq }) => !replaced.some((row) => holds(row, seq)))
  if (lost) throw conflict(`no seq ${lost.seq} to replace`)
  const rewritten = replaced.map((row) => rewrittenRow(row, replace, deflated))
  return { rewritten, added }
}

/** All requests of a change in the order in which they must happen, each issued when it is asked for. */
function* writes(
  transaction: Writing,
  change: Change,
  { found, changed }: { readonly found: StoredConversation; readonly changed: ChangedRows },
): Generator<Promise<unknown>> {
  const [log, drafts] = [transaction.objectStore('log'), transaction.objectStore('drafts')]
  const { incarnation } = change.head
  if (change.erase) {
    // The new head may be of another incarnation: nothing would ever find the rows of the old one again.
    const gone = new Set([incarnation, found.head?.incarnation ?? incarnation])
    for (const each of gone) yield* erasures(transaction, each)
  }
  for (const row of changed.rewritten) yield log.put(row)
  for (const row of changed.added) yield log.add(row)
  for (const turnId of change.dropDrafts ?? []) yield drafts.delete([incarnation, turnId])
  for (const draft of change.putDrafts ?? [])
    yield drafts.put({ incarnation, turnId: draft.turnId, draft })
  yield transaction.objectStore('conversations').put(change.head)
}

function* erasures(transaction: Writing, incarnation: string): Generator<Promise<unknown>> {
  yield transaction.objectStore('log').delete(rowsOf(incarnation))
  yield transaction.objectStore('drafts').delete(rowsOf(incarnation))
  yield transaction.objectStore('search').delete(incarnation)
}

/** Arrays come behind all other keys. */
function rowsOf(incarnation: string): IDBKeyRange {
  return IDBKeyRange.bound([incarnation], [incarnation, []])
}

function rowsFrom(incarnation: string, seq: number): IDBKeyRange {
  return IDBKeyRange.bound([incarnation, seq], [incarnation, []])
}

/**
 * Issues requests until one throws; then the transaction ends, or what came before would be stored. It commits by
 * itself: after `commit()` Firefox ESR stores what is left of a transaction of which a request failed.
 */
function issue(
  transaction: Writing,
  requests: Iterable<Promise<unknown>>,
): { readonly operations: readonly Promise<unknown>[]; readonly thrown: readonly unknown[] } {
  const operations: Promise<unknown>[] = []
  try {
    for (const operation of requests) operations.push(operation)
    return { operations, thrown: [] }
  } catch (error) {
    abort(transaction)
    return { operations, thrown: [error] }
  }
}

function reasonsOf(outcomes: readonly PromiseSettledResult<unknown>[]): unknown[] {
  return outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
}

function foundIn(rows: StoredRows, inflated: Inflated): StoredConversation {
  const { head, drafts } = rows
  return { head, entries: entriesOf(rows, inflated), drafts: drafts.map(({ draft }) => draft) }
}

/** What is thrown ends the transaction and goes to the caller as it is. */
function within<T>(transaction: Writing, work: () => T): T {
  try {
    return work()
  } catch (error) {
    abort(transaction)
    throw error
  }
}

function abort(transaction: Reading): void {
  try {
    transaction.abort()
  } catch (error) {
    // It has ended, or commits already: then its end is the verdict.
    if (!hasName(error, 'InvalidStateError')) throw error
  }
}

function hasName(error: unknown, name: string): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === name
}
