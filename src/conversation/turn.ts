import { invalidConversation } from '../core/errors.ts'
import { plainCopy } from '../core/plain.ts'
import type { Turn } from './surface.ts'

/** A draft is stored at most this often (DESIGN 7). */
const DRAFT_MS = 250

/** What a turn needs of its conversation. */
export interface TurnStore {
  readonly draft: (message: object) => void
  readonly settle: (message: object, usage: unknown) => Promise<void>
  /** Told of what cannot be kept. */
  readonly fault: (error: unknown) => void
}

/** Keeps the reply of one turn: as far as it came, and then whole. */
export function replyKeeper(store: TurnStore): Pick<Turn<unknown>, 'draft' | 'settle'> {
  let latest: object | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let settled: { readonly text: string; readonly done: Promise<void> } | undefined

  /** Drafts come from streams in the middle of their work, usage from anywhere: faults are told, never thrown. */
  const toldCopy = (value: unknown, name: string): unknown => {
    try {
      return plainCopy(value, name)
    } catch (error) {
      store.fault(error)
      return undefined
    }
  }

  /** Stores now, and what comes meanwhile when the time is over. */
  const flush = () => {
    timer = undefined
    const copy = latest && toldCopy(latest, 'partial')
    if (latest) timer = setTimeout(flush, DRAFT_MS)
    latest = undefined
    if (copy) store.draft(copy as object) // a copy of an object
  }

  return {
    draft: (partial) => {
      if (settled) return
      latest = partial
      if (timer === undefined) flush()
    },
    settle: async ({ message, usage }) => {
      const plain = plainCopy(message, 'message') as object // an object by its type
      const text = JSON.stringify(plain)
      if (settled && settled.text !== text) {
        throw invalidConversation('turn', 'was settled with another message')
      }
      if (settled) return settled.done
      clearTimeout(timer)
      timer = latest = undefined
      const done = store.settle(plain, toldCopy(usage, 'usage'))
      settled = { text, done }
      // A reply that could not be stored may be handed in again.
      done.catch(() => {
        settled = undefined
      })
      return done
    },
  }
}
