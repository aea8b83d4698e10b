/** Told to other tabs when a conversation changed; a hint, the store is the truth (DESIGN 7). */
export interface ChangeHint {
  readonly conversation: string
  /** Of the change; -1 for a deletion. */
  readonly revision: number
}

/** What tabs of one store tell each other. */
export class Tabs {
  readonly #channel: BroadcastChannel | undefined
  readonly #store: string

  constructor(store: string, hear: (hint: ChangeHint) => void) {
    this.#store = store
    if (typeof BroadcastChannel === 'undefined') return
    this.#channel = new BroadcastChannel(`tamp:${store}`)
    this.#channel.onmessage = ({ data }: MessageEvent<ChangeHint>) => hear(data)
    // In Node an open channel keeps the process alive.
    const { unref } = this.#channel as { unref?: () => void }
    unref?.call(this.#channel)
  }

  tell(hint: ChangeHint): void {
    this.#channel?.postMessage(hint)
  }

  /**
   * Takes the one right to buy a summary for a conversation, where no other tab has it; `undefined` where one has.
   * The function it gives back lets go of it. Where there are no locks, or none may be had, each tab buys its own.
   */
  async claim(conversation: string): Promise<(() => void) | undefined> {
    const { locks } = globalThis.navigator ?? {}
    if (!locks) return () => {}
    const name = `tamp:compact:${this.#store}:${conversation}`
    return new Promise((resolve) => {
      locks
        .request(name, { ifAvailable: true }, (lock) => {
          if (!lock) return resolve(undefined)
          return new Promise<void>((release) => resolve(release))
        })
        .catch(() => resolve(() => {})) // a page whose policy forbids locks
    })
  }

  close(): void {
    this.#channel?.close()
  }
}
