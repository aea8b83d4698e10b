/** Settles as the work does, or with the reason of the first signal that aborts. Leaves no listener behind. */
export async function untilAborted<T>(
  work: T | Promise<T>,
  ...signals: readonly (AbortSignal | undefined)[]
): Promise<T> {
  const done = new AbortController()
  const aborted = new Promise<never>((_, reject) => {
    for (const signal of signals) {
      const give = () => reject(signal?.reason)
      signal?.addEventListener('abort', give, { signal: done.signal })
      if (signal?.aborted) give()
    }
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    done.abort()
  }
}
