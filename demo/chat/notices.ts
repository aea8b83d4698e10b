import { type Signal, signal } from '@preact/signals'
import type { Tamp } from 'tamp'

/** What the page says beside the conversation. */
export interface Notices {
  /** Shown until it is closed; `undefined` when there is none. */
  readonly notice: Signal<string | undefined>
  /** Heard only: a polite status, never the streamed text itself. */
  readonly announcement: Signal<string>
}

const restarted = 'The compaction worker stopped and was started again. The chat goes on.'
const lost =
  'The compaction worker stopped and could not be started again. Requests now go out as they are, until the page is reloaded.'

export function createNotices(): Notices {
  return { notice: signal<string>(), announcement: signal('') }
}

/** Shows what becomes of the engine. */
export function watchEngine(tamp: Tamp, { notice }: Notices): void {
  tamp.on('engine:restarted', () => {
    notice.value = restarted
  })
  tamp.on('engine:lost', () => {
    notice.value = lost
  })
  tamp.ready.catch(() => {
    notice.value = lost
  })
}
