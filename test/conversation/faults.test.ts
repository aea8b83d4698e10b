import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openai } from '../support/build.ts'
import { durable } from '../support/durable.ts'
import { failingStore } from '../support/failing-store.ts'
import { openTab } from '../support/tabs.ts'
import { bytesOf, chatOf, requestOf } from './chats.ts'

const SMALL = { window: 2000, reserveTokens: 0 } as const

/** Milliseconds by which the clock was put forward. */
let ahead = 0

beforeEach(() => {
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead)
})

afterEach(() => {
  vi.restoreAllMocks()
})

/** A store that failed is not asked again at once: puts the clock past that time. */
function waitForRetry(): void {
  ahead += 10_000
}

/** A device whose store fails on demand. */
function device() {
  const failing = failingStore(durable())
  const states: string[] = []
  const open = () => {
    const tamp = openTab(failing.store, SMALL)
    const conversation = tamp.conversation('gates')
    conversation.on('storage', ({ state, code }) => states.push(`${state} ${code}`))
    return { tamp, conversation }
  }
  return { ...failing, states, open }
}

describe('a store that fails', () => {
  for (const step of ['open', 'read', 'write', 'commit'] as const) {
    it(`to ${step}: the chat goes on in memory, is told, and is stored afterwards`, async () => {
      const { open, fail, mend, states } = device()
      const { tamp, conversation } = open()
      await conversation.prepare(requestOf(chatOf(3)))
      fail(step)
      const during = await conversation.prepare(requestOf(chatOf(20)))
      expect(during.report.outcome).toBe('compacted')
      await during.settle({ message: openai.assistant('Gate 21 is open.') })
      expect(states).toEqual(['memory-only storage-failed'])
      expect(conversation.getSnapshot().storage).toBe('memory-only')
      expect(await conversation.transcript()).toHaveLength(42)
      mend()
      waitForRetry()
      const after = await conversation.prepare(requestOf(chatOf(20)))
      expect(bytesOf(after.request)).toBe(bytesOf(during.request))
      expect(states.at(-1)).toBe('durable recovered')
      await tamp.close()
      const next = open()
      expect(await next.conversation.transcript()).toHaveLength(41)
      const again = await next.conversation.prepare(requestOf(chatOf(20)))
      expect(bytesOf(again.request)).toBe(bytesOf(during.request))
      await next.tamp.close()
    })
  }

  it('for want of room: says so, and harms nothing that is stored', async () => {
    const { open, fail, mend, states } = device()
    const { tamp, conversation } = open()
    await conversation.prepare(requestOf(chatOf(3)))
    fail('commit', 'quota-exceeded')
    await conversation.prepare(requestOf(chatOf(4)))
    expect(states).toEqual(['quota quota-exceeded'])
    await tamp.close()
    mend()
    const next = open()
    expect(await next.conversation.transcript()).toHaveLength(7)
    await next.tamp.close()
  })

  it('from the start: a conversation in memory, stored as soon as it can be', async () => {
    const { open, fail, mend } = device()
    fail('open')
    const { tamp, conversation } = open()
    await conversation.prepare(requestOf(chatOf(2)))
    expect(conversation.getSnapshot()).toMatchObject({ storage: 'memory-only', messages: 5 })
    mend()
    waitForRetry()
    await conversation.prepare(requestOf(chatOf(3)))
    expect(conversation.getSnapshot().storage).toBe('durable')
    await tamp.close()
    const next = open()
    expect(await next.conversation.transcript()).toHaveLength(7)
    await next.tamp.close()
  })

  it('while another tab writes: both are kept, in one order', async () => {
    const { open, fail, mend } = device()
    const one = open()
    await one.conversation.prepare(requestOf(chatOf(2)))
    const two = open()
    await two.conversation.prepare(requestOf(chatOf(2)))
    fail('commit')
    const alone = await one.conversation.prepare(requestOf(chatOf(20)))
    expect(alone.report.outcome).toBe('compacted')
    mend()
    const other = [...chatOf(2).slice(0, -1), openai.user('From the second tab?')]
    await two.conversation.prepare(requestOf(other))
    waitForRetry()
    const again = await one.conversation.prepare(requestOf(chatOf(20)))
    expect(bytesOf(again.request)).toBe(bytesOf(alone.request))
    const seen = await two.conversation.prepare(requestOf(chatOf(20)))
    expect(bytesOf(seen.request)).toBe(bytesOf(alone.request))
    expect(await two.conversation.export()).toContain('From the second tab?')
    expect(await two.conversation.export()).toBe(await one.conversation.export())
    await one.tamp.close()
    await two.tamp.close()
  })

  it('does not delete or forget in memory alone', async () => {
    const { open, fail, mend } = device()
    const { tamp, conversation } = open()
    await conversation.prepare(requestOf(chatOf(3)))
    fail('write')
    await expect(conversation.delete()).rejects.toMatchObject({ code: 'storage-failed' })
    await expect(conversation.forget(1)).rejects.toMatchObject({ code: 'storage-failed' })
    mend()
    expect(await conversation.transcript()).toHaveLength(7)
    await tamp.close()
  })
})

describe('an engine that is lost', () => {
  it('gives the request back as it was, and says so', async () => {
    const { open } = device()
    const { tamp, conversation } = open()
    await conversation.prepare(requestOf(chatOf(3)))
    const heard: string[] = []
    conversation.on('compaction:failed', ({ reason }) => heard.push(String(reason)))
    await tamp.close()
    const request = requestOf(chatOf(20))
    const turn = await conversation.prepare(request)
    expect(turn.request).toBe(request)
    expect(turn.report).toMatchObject({ outcome: 'failed', counting: 'estimated' })
    expect(heard).toEqual(['the engine was closed'])
    expect(conversation.getSnapshot().storage).toBe('memory-only')
    const message = openai.assistant('Yes.')
    await expect(turn.settle({ message })).rejects.toMatchObject({ code: 'engine-lost' })
  })
})
