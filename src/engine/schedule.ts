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
