import { TampError } from '../core/errors.ts'
import { withDeadline } from './deadline.ts'
import type { StoreSignal } from './log-store.ts'
import { storageError } from './storage-error.ts'

/** What an opener tells of its database. */
export interface ConnectionEvents {
  readonly blocked: () => void
  /** Another tab wants a newer version, or the database gone. */
  readonly superseded: () => void
  /** The browser closed the connection. */
  readonly closed: () => void
}

export interface ConnectionOptions<Database> {
  readonly open: (events: ConnectionEvents) => Promise<Database>
  readonly openMs: number
  readonly tell: (signal: StoreSignal) => void
}

/**
 * One connection to a database, opened when it is first asked for and shared by all who ask. A failed open is tried
 * again for the next who asks, and so is one that the browser closed; a superseded connection stays closed.
 */
export class Connection<Database extends { close(): void }> {
  private readonly options: ConnectionOptions<Database>
  private opening: Promise<Database> | undefined
  private database: Database | undefined
  private ended: TampError | undefined

  constructor(options: ConnectionOptions<Database>) {
    this.options = options
  }

  /** Gives back the open database. Rejects with `storage-failed`, `quota-exceeded` or `newer-version`. */
  async get(): Promise<Database> {
    if (this.ended) throw this.ended
    this.opening ??= this.open()
    const database = await this.opening
    // It may have ended while this call waited.
    if (this.ended) throw this.ended
    return database
  }

  /** Lets go of a database that does not answer any more; the next call opens another. */
  drop(database: Database): void {
    database.close()
    if (this.database !== database) return
    this.database = undefined
    this.opening = undefined
  }

  /** Ends the connection for good. */
  close(): void {
    this.end(
      new TampError('storage-failed', 'the store is closed', { step: 'open', cause: 'closed' }),
    )
  }

  private async open(): Promise<Database> {
    try {
      this.database = await this.openInTime()
    } catch (error) {
      this.opening = undefined
      throw storageError('open', error)
    }
    if (this.ended) this.database.close()
    return this.database
  }

  private openInTime(): Promise<Database> {
    const { openMs } = this.options
    const waiting = new AbortController()
    return withDeadline(this.openFor(waiting.signal), openMs, () => {
      waiting.abort()
      return storageError('open', `no answer within ${openMs} ms`)
    })
  }

  /** Opens a database; once nobody waits for it any more it is closed at once. */
  private async openFor(waiting: AbortSignal): Promise<Database> {
    let mine: Database | undefined
    mine = await this.options.open({
      blocked: () => {
        if (!waiting.aborted) this.options.tell('blocked')
      },
      superseded: () => this.supersede(),
      closed: () => {
        if (mine === undefined || mine !== this.database) return
        this.drop(mine)
        this.options.tell('closed')
      },
    })
    if (waiting.aborted) mine.close()
    return mine
  }

  private supersede(): void {
    if (this.ended) return
    const details = { step: 'open', cause: 'superseded' }
    this.end(new TampError('newer-version', 'a newer version took over the database', details))
    this.options.tell('superseded')
  }

  private end(reason: TampError): void {
    this.ended ??= reason
    this.database?.close()
  }
}
