import { invalidConversation } from '../core/errors.ts'
import { plainCopy } from '../core/plain.ts'
import { readUsage, type Usage } from '../meter/usage.ts'
import type { Turn } from './surface.ts'

/** A draft is stored at most this often (DESIGN 7). */
const DRAFT_MS = 250

/** What a turn needs of its conversation. */
export interface TurnStore {
  readonly draft: (message: object) => Promise<void>
  readonly settle: (message: object, usage: Usage | undefined) => Promise<void>
  /** Told of a draft that cannot be kept. */
  readonly fault: (error: unknown) => void
}

/** Keeps the reply of one turn: as far as it came, and then whole. */
export class ReplyKeeper {
  private readonly store: TurnStore
  private latest: object | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private settled: { readonly message: string; readonly done: Promise<void> } | undefined

  constructor(store: TurnStore) {
    this.store = store
  }

  readonly draft: Turn<unknown>['draft'] = (partial) => {
    if (this.settled) return
    this.latest = partial
    if (this.timer !== undefined) return
    this.flush()
  }

  /** Stores now, and what comes meanwhile when the time is over. */
  private flush(): void {
    const { latest } = this
    this.latest = undefined
    if (!latest) return
    try {
      void this.store.draft(plainCopy(latest, 'partial') as object) // an object by its type
    } catch (error) {
      // Drafts come from streams in the middle of their work: they are told, never thrown at.
      this.store.fault(error)
    }
    this.timer = setTimeout(() => {
      this.timer = undefined
      this.flush()
    }, DRAFT_MS)
  }

  readonly settle: Turn<unknown>['settle'] = async ({ message, usage }) => {
    const plain = plainCopy(message, 'message') as object // an object by its type
    const text = JSON.stringify(plain)
    if (this.settled) {
      if (this.settled.message === text) return this.settled.done
      throw invalidConversation('turn', 'was settled with another message')
    }
    this.end()
    const done = this.store.settle(plain, readUsage(usage))
    this.settled = { message: text, done }
    // A reply that could not be stored may be handed in again.
    done.catch(() => {
      this.settled = undefined
    })
    return done
  }

  /** No draft is stored from now on. */
  end(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.latest = undefined
  }
}
