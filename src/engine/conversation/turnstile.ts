/** Lets one through at a time, in the order in which they came. */
export class Turnstile {
  private last: Promise<void> = Promise.resolve()

  /** Resolves when it is the caller's turn, with what ends that turn. An abort gives the turn up. */
  async enter(signal: AbortSignal | undefined): Promise<() => void> {
    const before = this.last
    let leave: () => void = () => {}
    const left = new Promise<void>((resolve) => {
      leave = resolve
    })
    this.last = before.then(() => left)
    try {
      await Promise.race([before, aborted(signal)])
      return leave
    } catch (error) {
      leave()
      throw error
    }
  }
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.throwIfAborted()
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
