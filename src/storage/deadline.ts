/** A timer that comes this much too late was frozen or throttled; what is waited for then gets a new deadline. */
const OVERRUN_MS = 2000

/**
 * Settles as `promise` does, or rejects with what `onLate` gives back when nothing came in `deadlineMs`. Browsers have
 * been seen to call nothing back at all (BROWSERS 2.1). What `promise` does later is not looked at.
 */
export function withDeadline<T>(
  promise: Promise<T>,
  deadlineMs: number,
  onLate: () => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer = setTimeout(ring, deadlineMs)
    let dueAt = performance.now() + deadlineMs
    function ring(): void {
      const now = performance.now()
      if (now - dueAt <= OVERRUN_MS) {
        reject(onLate())
        return
      }
      dueAt = now + deadlineMs
      timer = setTimeout(ring, deadlineMs)
    }
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
