import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withDeadline } from '../../src/storage/deadline.ts'

describe('a deadline', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const late = new Error('late')
  const never = new Promise<never>(() => {})

  it('passes on what comes in time, and leaves no timer', async () => {
    const reason = new Error('no')
    await expect(withDeadline(Promise.resolve(1), 100, () => late)).resolves.toBe(1)
    await expect(withDeadline(Promise.reject(reason), 100, () => late)).rejects.toBe(reason)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('rejects what does not come', async () => {
    const waiting = expect(withDeadline(never, 100, () => late)).rejects.toBe(late)
    vi.advanceTimersByTime(100)
    await waiting
  })

  it('starts anew after a timer that comes much too late, as in a frozen tab', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
    const rejected = vi.fn()
    const waiting = withDeadline(never, 100, () => late).catch(rejected)
    clock.mockReturnValue(60_000)
    await vi.advanceTimersByTimeAsync(100)
    expect(rejected).not.toHaveBeenCalled()
    clock.mockReturnValue(60_100)
    await vi.advanceTimersByTimeAsync(100)
    await waiting
    expect(rejected).toHaveBeenCalledWith(late)
  })
})
