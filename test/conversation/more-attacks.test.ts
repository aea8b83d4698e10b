import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import { localEngine } from '../../src/entries/local.ts'
import { createTamp, type Summarizer } from '../../src/index.ts'
import type { LogStore } from '../../src/storage/log-store.ts'
import { memoryStore } from '../../src/storage/memory-store.ts'
import { openai } from '../support/build.ts'
import { durable } from '../support/durable.ts'
import { failingStore } from '../support/failing-store.ts'
import { openTab } from '../support/tabs.ts'
import { bytesOf, chatOf, longText, requestOf } from './chats.ts'

const SMALL = { window: 2000, reserveTokens: 0 } as const

let ahead = 0
afterEach(() => {
  vi.restoreAllMocks()
})
function clock() {
  ahead = 0
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead)
}

describe('what comes between', () => {
  for (const delay of [0, 1, 2, 3, 4, 6, 8, 12]) {
    it(`L6 a forget ${delay} turns of the loop after prepare does not send what does not fit`, async () => {
      const conversation = openTab(memoryStore(), SMALL).conversation('gates')
      await conversation.prepare(requestOf(chatOf(3)))
      const waiting = conversation.prepare(requestOf(chatOf(40)))
      for (let n = 0; n < delay; n++) await Promise.resolve()
      if (delay > 4) await new Promise((resolve) => setTimeout(resolve, delay - 5))
      await conversation.forget(2)
      const { report } = await waiting
      expect.soft(report).toMatchObject({ outcome: 'compacted', reason: undefined })
      expect(report.tokensAfter).toBeLessThanOrEqual(2000)
    })
  }

  it('L7 two prepares, the second of which waits at the turnstile while a message is forgotten', async () => {
    const summarizer: Summarizer = async () => {
      await conversation.forget(2)
      throw Object.assign(new Error('down'), { status: 500 })
    }
    const conversation = openTab(memoryStore(), { ...SMALL, summarizer }).conversation('gates')
    await conversation.prepare(requestOf(chatOf(3)))
    const both = await Promise.all([
      conversation.prepare(requestOf(chatOf(20))),
      conversation.prepare(requestOf(chatOf(21))),
    ])
    for (const { report } of both) expect(report.tokensAfter).toBeLessThanOrEqual(2000)
  })

  it('L8 an import in the middle of a compaction', async () => {
    let file = ''
    const source = openTab(memoryStore(), SMALL).conversation('gates')
    await source.prepare(requestOf(chatOf(20)))
    file = await source.export()
    let calls = 0
    const summarizer: Summarizer = async () => {
      calls++
      if (calls < 4) await conversation.import(file)
      return 'The deploy key is K-4217; nothing was found.'
    }
    const conversation = openTab(memoryStore(), { ...SMALL, summarizer }).conversation('new')
    const turn = await conversation.prepare(requestOf(chatOf(20)))
    expect(turn.report.tokensAfter).toBeLessThanOrEqual(2000)
    expect(calls).toBeLessThan(4)
  })

  it('L9 an undo in the middle of a compaction, again and again', async () => {
    let calls = 0
    const summarizer: Summarizer = async () => {
      calls++
      if (calls < 10) await (calls % 2 ? conversation.undo() : conversation.redo())
      return 'The deploy key is K-4217; nothing was found.'
    }
    const conversation = openTab(memoryStore(), { ...SMALL, summarizer }).conversation('new')
    await conversation.prepare(requestOf(chatOf(20)))
    calls = 0
    const turn = await conversation.prepare(requestOf(chatOf(45)))
    expect(turn.report.tokensAfter).toBeLessThanOrEqual(2000)
    expect(calls).toBeLessThan(5)
  })

  it('L10 close in the middle of a summary settles everything', async () => {
    const summarizer: Summarizer = async () => {
      await tamp.close()
      return 'The deploy key is K-4217; nothing was found.'
    }
    const tamp = openTab(memoryStore(), { ...SMALL, summarizer })
    const conversation = tamp.conversation('new')
    const outcomes = await Promise.allSettled([
      conversation.prepare(requestOf(chatOf(20))),
      conversation.compact(),
      conversation.transcript(),
      conversation.export(),
    ])
    expect(outcomes).toHaveLength(4)
  })
})

describe('drafts and a store that fails', () => {
  it('D6 a draft that was settled while the store failed is not shown as interrupted later, nor left behind by forget', async () => {
    clock()
    const inner = durable()
    const failing = failingStore(inner)
    const one = openTab(failing.store).conversation('gates')
    const turn = await one.prepare(requestOf(chatOf(2)))
    turn.draft(openai.assistant('The secret is 7'))
    await one.transcript()
    failing.fail('commit')
    await turn.settle({ message: openai.assistant('The secret is 77.') })
    failing.mend()
    ahead += 10_000
    await one.transcript()
    expect(one.getSnapshot().storage).toBe('durable')
    const other = openTab(inner).conversation('gates')
    expect(await other.forget(openai.assistant('The secret is 77.'))).toBe(true)
    expect.soft(await other.export()).not.toContain('secret')
    await other.prepare(requestOf(chatOf(2)))
    expect((await other.transcript()).some(({ interrupted }) => interrupted)).toBe(false)
  })

  it('D7 a reply settled after the worker was lost while nothing could be stored', async () => {
    clock()
    const inner = durable()
    const failing = failingStore(inner)
    let engine = localEngine({ store: () => failing.store })
    const outer: Engine = {
      ...engine,
      call: (method, job, signal) => engine.call(method, job, signal),
    }
    const one = createTamp({ engine: outer }).conversation('gates')
    await one.prepare(requestOf(chatOf(2)))
    failing.fail('commit')
    const mine = [...chatOf(2), openai.assistant('Fine.'), openai.user('From the first tab?')]
    const turn = await one.prepare(requestOf(mine))
    engine = localEngine({ store: () => failing.store }) // the worker died and was restarted
    failing.mend()
    const other = [...chatOf(2), openai.assistant('Bad.'), openai.user('From the second tab?')]
    await openTab(inner).conversation('gates').prepare(requestOf(other))
    const outcome = await turn.settle({ message: openai.assistant('To the first tab.') }).then(
      () => 'stored',
      (error) => error.code,
    )
    const { entries } = JSON.parse(await openTab(inner).conversation('gates').export())
    const reply = entries.find(
      (entry: { native?: { content: string } }) => entry.native?.content === 'To the first tab.',
    )
    const parent = entries.find((entry: { seq: number }) => entry.seq === reply?.parent)
    expect(`${outcome} ${parent?.native.content}`).not.toContain('From the second tab?')
  })

  it('D8 messages sent by a tab with a failing store survive a second tab that deletes nothing', async () => {
    clock()
    const inner = durable()
    const failing = failingStore(inner)
    const one = openTab(failing.store, SMALL).conversation('gates')
    failing.fail('open')
    await one.prepare(requestOf(chatOf(2)))
    await openTab(inner)
      .conversation('gates')
      .prepare(requestOf([openai.user('Other')]))
    failing.mend()
    ahead += 10_000
    await one.prepare(requestOf(chatOf(3)))
    expect(one.getSnapshot().storage).toBe('durable')
    const file = await openTab(inner).conversation('gates').export()
    expect(file).toContain('Other')
    expect(file).toContain('K-4217')
  })
})

describe('requests', () => {
  it('Q1 getters that throw reject with their own error and harm nothing', async () => {
    const conversation = openTab(memoryStore(), SMALL).conversation('gates')
    await conversation.prepare(requestOf(chatOf(2)))
    const bad = {
      role: 'user',
      get content(): string {
        throw new Error('own')
      },
    }
    const request = { model: 'gpt-4o', messages: [...chatOf(2), openai.assistant('a'), bad] }
    await expect(conversation.prepare(request)).rejects.toThrow('own')
    await conversation.prepare(requestOf(chatOf(3)))
    expect(await conversation.transcript()).toHaveLength(7)
  })

  it('Q2 lone surrogates, NUL and __proto__ are sent and kept as they are', async () => {
    const conversation = openTab(memoryStore()).conversation('gates')
    const odd = JSON.parse('{"role":"user","content":"a\\u0000b","__proto__":{"polluted":1}}')
    const turn = await conversation.prepare({ model: 'gpt-4o', messages: [odd] })
    expect(
      Object.hasOwn((await conversation.transcript())[0]?.message as object, '__proto__'),
    ).toBe(true)
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
    expect(turn.report.outcome).toBe('unchanged')
  })

  it('Q3 10,000 drafts at once are stored a few times only', async () => {
    const inner = memoryStore()
    let changes = 0
    const counted: LogStore = {
      ...durable(inner),
      change: (request, decide) => {
        changes++
        return inner.change(request, decide)
      },
    }
    const conversation = openTab(counted).conversation('gates')
    const turn = await conversation.prepare(requestOf(chatOf(1)))
    const before = changes
    for (let n = 0; n < 10_000; n++) turn.draft(openai.assistant('x'.repeat(n % 100)))
    await turn.settle({ message: openai.assistant('x') })
    expect(changes - before).toBeLessThan(4)
  })

  it('Q4 an aborted signal, before and during, leaves the conversation usable', async () => {
    const conversation = openTab(memoryStore(), SMALL).conversation('gates')
    const signal = AbortSignal.abort(new Error('before'))
    await expect(conversation.prepare(requestOf(chatOf(20)), { signal })).rejects.toThrow('before')
    for (let n = 0; n < 30; n++) {
      const abort = new AbortController()
      const waiting = conversation.prepare(requestOf(chatOf(20 + n)), { signal: abort.signal })
      waiting.catch(() => {})
      for (let k = 0; k < n; k++) await Promise.resolve()
      abort.abort(new Error('during'))
      await waiting.catch((error: Error) => expect(error.message).toBe('during'))
    }
    const { report } = await conversation.prepare(requestOf(chatOf(50)))
    expect(report.tokensAfter).toBeLessThanOrEqual(2000)
  })

  it('Q5 a message of 20 MB and one after it', async () => {
    const conversation = openTab(memoryStore(), SMALL).conversation('gates')
    const big = openai.user(longText('Gate').repeat(80_000))
    const outcome = await conversation.prepare(requestOf([big])).then(
      ({ report }) => report.outcome,
      (error) => error.code,
    )
    expect(['compacted', 'cannot-fit']).toContain(outcome)
    const { request } = await conversation.prepare(requestOf(chatOf(1)))
    expect(bytesOf(request)).toBe(bytesOf(requestOf(chatOf(1))))
  }, 60_000)

  it('Q6 a frozen request with class instances that have forms of their own', async () => {
    class Message {
      #role = 'user'
      toJSON() {
        return { role: this.#role, content: 'Hello' }
      }
    }
    const conversation = openTab(memoryStore(), SMALL).conversation('gates')
    const request = Object.freeze({
      model: 'gpt-4o',
      messages: Object.freeze([Object.freeze(new Message())]),
    })
    const turn = await conversation.prepare(request)
    expect(JSON.parse(JSON.stringify(turn.request.messages))).toEqual([
      { role: 'user', content: 'Hello' },
    ])
    expect(await conversation.transcript()).toHaveLength(1)
  })

  it('Q7 a turn that is settled with what is no message rejects by code', async () => {
    const conversation = openTab(memoryStore(), SMALL).conversation('gates')
    for (const message of [null, undefined, 'text', 7, [], {}, { role: 'alien' }]) {
      const turn = await conversation.prepare(requestOf(chatOf(1)))
      const code = await turn.settle({ message: message as never }).then(
        () => 'taken',
        (e) => e.code,
      )
      expect.soft(code, String(JSON.stringify(message))).toBe('invalid-conversation')
    }
  })
})
