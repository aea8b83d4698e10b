import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import { localEngine } from '../../src/entries/local.ts'
import { createTamp } from '../../src/index.ts'
import { openai } from '../support/build.ts'
import { durable } from '../support/durable.ts'
import { failingStore } from '../support/failing-store.ts'
import { openTab } from '../support/tabs.ts'
import { chatOf, requestOf } from './chats.ts'

let ahead = 0
beforeEach(() => {
  ahead = 0
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead)
})
afterEach(() => {
  vi.restoreAllMocks()
})

const said = (text: string) => [...chatOf(2), openai.assistant('Fine.'), openai.user(text)]

describe('numbers that the page holds when the log is renumbered', () => {
  it('D9 forget takes the message that was meant', async () => {
    const inner = durable()
    const failing = failingStore(inner)
    const one = openTab(failing.store).conversation('gates')
    await one.prepare(requestOf(chatOf(2)))
    failing.fail('commit')
    await one.prepare(requestOf(said('My secret is 7.')))
    const seq = (await one.transcript()).at(-1)?.seq ?? -1
    const two = openTab(inner).conversation('gates')
    await two.prepare(requestOf([...chatOf(2), openai.assistant('Bad.'), openai.user('Precious.')]))
    failing.mend()
    ahead += 10_000
    expect(await one.forget(seq)).toBe(true)
    const file = await openTab(inner).conversation('gates').export()
    expect.soft(file).not.toContain('My secret')
    expect(file).toContain('Precious.')
  })

  it('D10 a history in parts whose base was renumbered on the way lies where it belongs', async () => {
    const inner = durable()
    const failing = failingStore(inner)
    const local = localEngine({ store: () => failing.store })
    let staged: (() => Promise<void>) | undefined
    const engine: Engine = {
      ...local,
      call: async (method, job, signal) => {
        const answer = await local.call(method, job, signal)
        if (method === 'stage') await staged?.()
        return answer
      },
    }
    const one = createTamp({ engine, window: 10_000_000 }).conversation('gates')
    await one.prepare(requestOf(chatOf(2)))
    failing.fail('commit')
    await one.prepare(requestOf(said('Mine')))
    const two = openTab(inner).conversation('gates')
    await two.prepare(requestOf([...chatOf(2), openai.assistant('Bad.'), openai.user('Theirs.')]))
    staged = async () => {
      staged = undefined
      failing.mend()
      ahead += 10_000
      await one.transcript()
    }
    const text = 'A long line of words. '.repeat(8000)
    const more = [...said('Mine'), openai.assistant(`1 ${text}`), openai.user(`2 ${text}`)]
    await one.prepare(requestOf(more))
    const seen = (await openTab(inner).conversation('gates').transcript()).map((m) => m.message)
    expect(seen.map((m) => String((m as { content: string }).content).slice(0, 12))).toEqual(
      more.slice(1).map((m) => String(m.content).slice(0, 12)),
    )
  })
})
