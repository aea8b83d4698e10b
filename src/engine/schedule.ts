import type { Sliced } from '../core/sliced.ts'

/** How long work goes on before others get their turn, in milliseconds: half of a frame. */
const SLICE_MS = 8

/**
 * Runs sliced work with a task of its own for each few milliseconds, so that other calls are answered meanwhile.
 * Rejects with the reason of the signal, and with what the work throws.
 */
export async function runSliced<T>(work: Sliced<T>, signal?: AbortSignal): Promise<T> {
  let since = performance.now()
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    if (performance.now() - since < SLICE_MS) continue
    await nextTask()
    signal?.throwIfAborted()
    since = performance.now()
  }
}

/**
 * Resolves in a task of its own, so that messages and timers get their turn. A message channel is not clamped
 * to 4 ms as nested timers are.
 */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
}
