import type { CompactionReport } from '../core/report.ts'
import type { EngineEvent } from './engine.ts'

/** What an app can listen to, with what each event carries. */
export interface TampEvents {
  /** A model is about to be asked for a summary. */
  'compaction:start': { readonly jobId: string }
  'compaction:end': CompactionReport
  'compaction:failed': CompactionReport
  /** The worker was lost; a new one took over and pending calls were repeated. */
  'engine:restarted': Extract<EngineEvent, { type: 'engine:restarted' }>
  /** The worker was lost for good; the calls that waited for it were rejected. */
  'engine:lost': Extract<EngineEvent, { type: 'engine:lost' }>
}

type Listener<T> = (detail: T) => void

/** Hands events to listeners, in the order in which they came. */
export class EventHub<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<Listener<never>>>()

  /** Listens until the signal aborts or the function that comes back is called. */
  readonly on = <E extends keyof Events>(
    event: E,
    listener: Listener<Events[E]>,
    options: { readonly signal?: AbortSignal } = {},
  ): (() => void) => {
    const own = this.#listeners.get(event) ?? new Set()
    this.#listeners.set(event, own.add(listener))
    const stop = () => {
      own.delete(listener)
    }
    options.signal?.addEventListener('abort', stop, { once: true })
    return stop
  }

  /** A listener that throws does not keep the others from hearing; its error surfaces as an unhandled one. */
  emit<E extends keyof Events>(event: E, detail: Events[E]): void {
    for (const listener of this.#listeners.get(event) ?? []) {
      const heard = listener as Listener<Events[E]> // registered for this very event
      try {
        heard(detail)
      } catch (error) {
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}
