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

/** How long work may hold the thread before others get their turn, in milliseconds. */
const SLICE_MS = 10

/** Takes steps until they end; others get their turn after each `SLICE_MS`. */
export async function inSlices<T>(steps: Iterator<unknown, T>): Promise<T> {
  let until = performance.now() + SLICE_MS
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    if (performance.now() < until) continue
    await nextTask()
    until = performance.now() + SLICE_MS
  }
}

/** Takes all steps at once. */
export function atOnce<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
