/** A timer that comes this much too late was frozen or throttled; what is waited for then gets a new deadline. */
const OVERRUN_MS = 2000

/**
 * Settles as `promise` does, or rejects with what `onLate` gives back when nothing came in `deadlineMs`: neither it nor
 * one of the `signs` of life. Browsers have been seen to call nothing back at all (BROWSERS 2.1). What `promise` does
 * later is not looked at.
 */
export function withDeadline<T>(
  promise: Promise<T>,
  deadlineMs: number,
  onLate: () => Error,
  signs: readonly Promise<unknown>[] = [],
): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer = setTimeout(ring, deadlineMs)
    let dueAt = performance.now() + deadlineMs
    const renew = () => {
      dueAt = performance.now() + deadlineMs
    }
    function ring(): void {
      const now = performance.now()
      const lateMs = now - dueAt
      if (lateMs >= 0 && lateMs <= OVERRUN_MS) {
        reject(onLate())
        return
      }
      if (lateMs > 0) renew()
      timer = setTimeout(ring, Math.max(1, dueAt - now))
    }
    for (const sign of signs) sign.then(renew, renew)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
