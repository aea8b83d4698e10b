import type { Sliced } from '../core/sliced.ts'

/** How long work goes on before others get their turn, in milliseconds: in a worker nobody waits for a frame. */
const SLICE_MS = 12

/**
 * Runs sliced work with a task of its own for each few milliseconds, so that other calls are answered meanwhile.
 * Rejects with the reason of the signal, and with what the work throws.
 */
export async function runSliced<T>(work: Sliced<T>, signal?: AbortSignal): Promise<T> {
  const turns = new Turns()
  try {
    let since = performance.now()
    for (;;) {
      const step = work.next()
      if (step.done) return step.value
      if (performance.now() - since < SLICE_MS) continue
      await turns.next()
      signal?.throwIfAborted()
      since = performance.now()
    }
  } finally {
    turns.end()
  }
}

/** Tasks of one's own: messages and timers get their turn. A message channel is not clamped to 4 ms as nested timers are. */
class Turns {
  private channel: MessageChannel | undefined

  next(): Promise<void> {
    this.channel ??= new MessageChannel()
    const { port1, port2 } = this.channel
    return new Promise((resolve) => {
      port1.onmessage = () => resolve()
      port2.postMessage(undefined)
    })
  }

  /** An open channel would keep Node from ending. */
  end(): void {
    this.channel?.port1.close()
  }
}
