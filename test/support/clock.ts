import { vi } from 'vitest'

/** Lets `performance.now` jump ahead, so that no test waits for a deadline. `vi.restoreAllMocks` ends it. */
export function jumpingClock(): { readonly skip: (ms: number) => void } {
  let skipped = 0
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + skipped)
  return {
    skip: (ms) => {
      skipped += ms
    },
  }
}
