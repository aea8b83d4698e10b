import { afterEach, describe, expect, it, vi } from 'vitest'
import { finished, type Sliced } from '../../src/core/sliced.ts'
import { runSliced } from '../../src/engine/schedule.ts'

/** Steps that each take so many milliseconds by the clock. */
function* steps(count: number, stepMs: number): Sliced<string> {
  for (let step = 0; step < count; step++) {
    clockMs += stepMs
    yield
  }
  return 'done'
}

let clockMs = 0

afterEach(() => {
  vi.restoreAllMocks()
})

describe('work in slices', () => {
  it.each([
    ['never lets others in where it is short', 11, 1, 0],
    ['lets others in after each twelve milliseconds', 100, 1, 8],
    ['lets others in after a step that takes longer', 3, 50, 3],
  ])('%s', async (_, count, stepMs, turns) => {
    clockMs = 0
    vi.spyOn(performance, 'now').mockImplementation(() => clockMs)
    const tasks = vi.spyOn(MessagePort.prototype, 'postMessage')
    expect(await runSliced(steps(count, stepMs))).toBe('done')
    expect(tasks).toHaveBeenCalledTimes(turns)
  })

  it('ends in one go where it must', () => {
    expect(finished(steps(1000, 50))).toBe('done')
  })
})
