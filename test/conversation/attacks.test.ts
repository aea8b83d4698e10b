import 'fake-indexeddb/auto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import { localEngine } from '../../src/entries/local.ts'
import { createTamp, type Summarizer } from '../../src/index.ts'
import { idbStore } from '../../src/storage/idb-store.ts'
import type { LogStore } from '../../src/storage/log-store.ts'
import { memoryStore } from '../../src/storage/memory-store.ts'
import { openai } from '../support/build.ts'
import { durable } from '../support/durable.ts'
import { failingStore } from '../support/failing-store.ts'
import { openTab } from '../support/tabs.ts'
import { bytesOf, chatOf, requestOf } from './chats.ts'

const SMALL = { window: 2000, reserveTokens: 0 } as const
const SUMMARY = 'The deploy key is K-4217; the gates so far were looked at, nothing was found.'

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

/** Rejects where something takes too long, so that a hang is a failure with a name. */
async function within<T>(promise: Promise<T>, ms = 3000): Promise<T> {
  return Promise.race([
    promise,
    new Promise<never>((_, reject) => setTimeout(() => reject(new Error('HANGS')), ms)),
  ])
}

describe('while a summary is made', () => {
  it('L1 a forget in the middle of a summary ends in a bounded number of calls', async () => {
    let calls = 0
    const store = memoryStore()
    const summarizer: Summarizer = async () => {
      calls++
      if (calls === 1) await conversation.forget(2)
      if (calls > 20) throw Object.assign(new Error('enough'), { name: 'Enough' })
      return SUMMARY
    }
    const conversation = openTab(store, { ...SMALL, summarizer }).conversation('gates')
    await conversation.prepare(requestOf(chatOf(3)))
    await conversation.prepare(requestOf(chatOf(20))).catch(() => {})
    expect(calls).toBeLessThan(5)
  })

  it('L2 a store that recovers in the middle of a summary ends in a bounded number of calls', async () => {
    let calls = 0
    let ahead = 0
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead)
    const failing = failingStore(durable())
    const summarizer: Summarizer = async () => {
      calls++
      if (calls === 1) {
        failing.mend()
        ahead += 10_000
        await conversation.transcript()
      }
      if (calls > 20) throw Object.assign(new Error('enough'), { name: 'Enough' })
      return SUMMARY
    }
    const conversation = openTab(failing.store, { ...SMALL, summarizer }).conversation('gates')
    await conversation.prepare(requestOf(chatOf(3)))
    failing.fail('commit')
    await conversation.prepare(requestOf(chatOf(20))).catch(() => {})
    expect(calls).toBeLessThan(5)
  })

  it('L3 a forget in another tab in the middle of a summary ends in a bounded number of calls', async () => {
    let calls = 0
    const store = memoryStore()
    const summarizer: Summarizer = async () => {
      calls++
      if (calls === 1) await other.forget(2)
      if (calls > 20) throw Object.assign(new Error('enough'), { name: 'Enough' })
      return SUMMARY
    }
    const conversation = openTab(store, { ...SMALL, summarizer }).conversation('gates')
    const other = openTab(store, SMALL).conversation('gates')
    await conversation.prepare(requestOf(chatOf(3)))
    await conversation.prepare(requestOf(chatOf(20))).catch(() => {})
    expect(calls).toBeLessThan(5)
  })

  it('L4 an abort that crosses the answer on its way does not block the next compaction', async () => {
    const store = memoryStore()
    const summarizer: Summarizer = async () => SUMMARY
    const abort = new AbortController()
    const inner = localEngine({ store: () => store })
    // As `remoteEngine` does: an abort wins over an answer that is still on its way from the worker.
    const engine: Engine = {
      ...inner,
      call: async (method, job, signal) => {
        const answer = await inner.call(method, job, signal)
        if (JSON.stringify(answer).includes('"type":"ask"') && !abort.signal.aborted) {
          abort.abort()
        }
        signal?.throwIfAborted()
        return answer
      },
    }
    const tamp = createTamp({ engine, ...SMALL, summarizer })
    const conversation = tamp.conversation('gates')
    const { signal } = abort
    await expect(conversation.prepare(requestOf(chatOf(20)), { signal })).rejects.toMatchObject({
      name: 'AbortError',
    })
    const again = await within(conversation.prepare(requestOf(chatOf(20))))
    expect(again.report.outcome).toBe('compacted')
  })

  it('L5 locks that are refused do not send what does not fit, nor block what comes next', async () => {
    vi.stubGlobal('navigator', {
      locks: { request: async () => Promise.reject(new DOMException('denied', 'SecurityError')) },
    })
    const summarizer: Summarizer = async () => SUMMARY
    const conversation = openTab(memoryStore(), { ...SMALL, summarizer }).conversation('gates')
    const first = await within(conversation.prepare(requestOf(chatOf(20))))
    expect.soft(first.report.outcome).toBe('compacted')
    const second = await within(conversation.prepare(requestOf(chatOf(21))))
    expect(second.report.outcome).not.toBe('failed')
  })
})

describe('data safety', () => {
  it('D1 a reply settled after the store came back stands behind the message that it answers', async () => {
    let ahead = 0
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead)
    const inner = durable()
    const failing = failingStore(inner)
    const one = openTab(failing.store).conversation('gates')
    await one.prepare(requestOf(chatOf(2)))
    const two = openTab(inner).conversation('gates')
    failing.fail('commit')
    const mine = [...chatOf(2), openai.assistant('Fine.'), openai.user('From the first tab?')]
    const turn = await one.prepare(requestOf(mine))
    const other = [...chatOf(2), openai.assistant('Bad.'), openai.user('From the second tab?')]
    await two.prepare(requestOf(other))
    failing.mend()
    ahead += 10_000
    await turn.settle({ message: openai.assistant('To the first tab.') })
    expect(one.getSnapshot().storage).toBe('durable')
    const seen = (await openTab(inner).conversation('gates').transcript()).map((m) => m.message)
    expect(seen).toEqual([...mine.slice(1), openai.assistant('To the first tab.')])
  })

  it('D2 an interrupted reply is still there after the store failed and came back', async () => {
    let ahead = 0
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead)
    const inner = durable()
    const failing = failingStore(inner)
    const one = openTab(failing.store).conversation('gates')
    failing.fail('commit')
    const turn = await one.prepare(requestOf(chatOf(2)))
    turn.draft(openai.assistant('Half of an'))
    await one.transcript()
    failing.mend()
    ahead += 10_000
    await one.transcript()
    expect(one.getSnapshot().storage).toBe('durable')
    const seen = await openTab(inner).conversation('gates').transcript()
    expect(seen.at(-1)).toMatchObject({ interrupted: true, message: { content: 'Half of an' } })
  })

  it('D3 delete takes what was handed in before it', async () => {
    const store = memoryStore()
    const tamp = openTab(store)
    const conversation = tamp.conversation('secret')
    const sent = conversation.prepare(requestOf(chatOf(1))).catch(() => {})
    await conversation.delete()
    await sent
    expect(await openTab(store).conversations()).toEqual([])
  })

  it('D4 one damaged row at the end does not keep the rest from being stored', async () => {
    const name = crypto.randomUUID()
    const first = idbStore({ name })
    const tab = openTab(first).conversation('gates')
    const big = `${'Some long words. '.repeat(8000)}`
    const messages = [...chatOf(1), openai.assistant(big)]
    const turn = await tab.prepare(requestOf(messages.slice(0, -1)))
    await turn.settle({ message: openai.assistant(big) })
    first.close()
    await damageLast(name)
    const second = idbStore({ name })
    const states: string[] = []
    const again = openTab(second).conversation('gates')
    again.on('storage', ({ state, code, message }) => states.push(`${state} ${code} ${message}`))
    const next = [...messages, openai.user('And now?')]
    await again.prepare(requestOf(next))
    expect(states).toMatchObject([expect.stringMatching(/^durable gap/u)])
    expect(again.getSnapshot().storage).toBe('durable')
    second.close()
    const third = idbStore({ name })
    const seen = await openTab(third).conversation('gates').transcript()
    expect(seen.at(-1)?.message).toEqual(openai.user('And now?'))
    third.close()
  })

  it('D5 a request without its list of messages is refused, and the transcript stays', async () => {
    const conversation = openTab(memoryStore()).conversation('gates')
    await conversation.prepare(requestOf(chatOf(2)))
    for (const messages of [undefined, null, 'x', { length: 2 }]) {
      const request = { model: 'gpt-4o', messages } as object
      await conversation.prepare(request).catch(() => {})
      await conversation.prepare(request, { format: 'openai-chat' }).catch(() => {})
      expect.soft(await conversation.transcript(), String(messages)).toHaveLength(5)
    }
  })
})

async function damageLast(name: string): Promise<void> {
  const db = await new Promise<IDBDatabase>((resolve, reject) => {
    const open = indexedDB.open(name)
    open.onsuccess = () => resolve(open.result)
    open.onerror = () => reject(open.error)
  })
  await new Promise<void>((resolve, reject) => {
    const tx = db.transaction('log', 'readwrite')
    const all = tx.objectStore('log').getAll()
    all.onsuccess = () => {
      const row = all.result.at(-1)
      const [large] = row.deflated
      if (!large) throw new Error('not deflated')
      row.deflated = [[large[0], large[1].slice(0, 20)]]
      tx.objectStore('log').put(row)
    }
    tx.oncomplete = () => resolve()
    tx.onerror = () => reject(tx.error)
  })
  db.close()
}

describe('apps that behave badly', () => {
  it('A1 a draft that cannot be copied is told, and no uncaught error', async () => {
    const conversation = openTab(memoryStore()).conversation('gates')
    const turn = await conversation.prepare(requestOf(chatOf(1)))
    turn.draft(openai.assistant('Half'))
    const bad: Record<string, unknown> = { role: 'assistant', content: 'Half of' }
    bad.itself = bad
    const told = new Promise<{ readonly code: string }>((resolve) => {
      conversation.on('storage', resolve)
    })
    turn.draft(bad)
    expect((await told).code).toBe('invalid-conversation')
  })

  it('A2 a subscriber that throws does not send what does not fit', async () => {
    const surfaced = new Promise((resolve) => {
      vi.stubGlobal('queueMicrotask', (task: () => void) => {
        try {
          task()
        } catch (error) {
          resolve(error)
        }
      })
    })
    const conversation = openTab(memoryStore(), SMALL).conversation('gates')
    await conversation.transcript()
    conversation.subscribe(() => {
      throw new Error('a fault of the app')
    })
    const turn = await conversation.prepare(requestOf(chatOf(20)))
    expect.soft(turn.report.outcome).toBe('compacted')
    expect(bytesOf(turn.request).length).toBeLessThan(9000)
    expect(await surfaced).toMatchObject({ message: 'a fault of the app' })
  })

  it('A3 what goes out is one state: a message pushed while prepare waits is not in it', async () => {
    const conversation = openTab(memoryStore(), SMALL).conversation('gates')
    const request = requestOf(chatOf(2))
    const count = request.messages.length
    const waiting = conversation.prepare(request)
    request.messages.push(openai.assistant('')) // the place for the reply that will stream
    const turn = await waiting
    expect(turn.request.messages).toHaveLength(count)
  })

  it('A4 what goes out is one state: a message changed in place while prepare waits', async () => {
    const conversation = openTab(memoryStore(), SMALL).conversation('gates')
    const request = structuredClone(requestOf(chatOf(20))) as {
      model: string
      messages: { content: string }[]
    }
    const waiting = conversation.prepare(request)
    const last = request.messages.at(-1)
    if (last) last.content = 'x y '.repeat(5000)
    const turn = await waiting
    expect(bytesOf(turn.request).length).toBeLessThan(12_000)
  })

  it('A5 the same object for the same name, also after a late answer of the deleted one', async () => {
    const store = memoryStore()
    const summarizer: Summarizer = async () => {
      await first.delete()
      second = tamp.conversation('gates')
      return SUMMARY
    }
    const tamp = openTab(store, { ...SMALL, summarizer })
    const first = tamp.conversation('gates')
    let second: unknown
    await first.prepare(requestOf(chatOf(20))).catch(() => {})
    expect(tamp.conversation('gates')).toBe(second)
  })

  it('A6 forgets by the object of a message where the conversation has two formats', async () => {
    const conversation = openTab(memoryStore()).conversation('gates')
    const result = openai.result('c1', 'The secret is 7.')
    const call = openai.calls(['c1', 'read_file', { path: 'a' }])
    await conversation.prepare(requestOf([openai.user('Read.'), call, result]))
    const claude = { model: 'claude-x', max_tokens: 9, system: 's', messages: [openai.user('Hi')] }
    await conversation.prepare(claude, { format: 'anthropic-messages' })
    expect(await conversation.forget(result)).toBe(true)
  })

  it('A7 a sparse list of any length is refused at once', async () => {
    const conversation = openTab(memoryStore()).conversation('gates')
    const messages = [...chatOf(1)]
    messages.length = 30_000_000
    await expect(conversation.prepare({ model: 'gpt-4o', messages })).rejects.toMatchObject({
      code: 'invalid-conversation',
    })
  })

  it('A8 a usage report that cannot be copied does not lose the reply', async () => {
    const conversation = openTab(memoryStore()).conversation('gates')
    const turn = await conversation.prepare(requestOf(chatOf(1)))
    await turn
      .settle({ message: openai.assistant('Yes.'), usage: { prompt_tokens: 3n } })
      .catch(() => {})
    expect(await conversation.transcript()).toHaveLength(4)
  })

  it('A9 50 histories at once are stored each', async () => {
    const conversation = openTab(memoryStore(), SMALL).conversation('gates')
    const turns = await within(
      Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          conversation.prepare(
            requestOf([...chatOf(n % 25), openai.assistant('.'), openai.user(`Branch ${n}`)]),
          ),
        ),
      ),
      20_000,
    )
    turns.forEach((turn, n) => {
      expect(bytesOf(turn.request)).toContain(`Branch ${n}`)
      expect(turn.report.tokensAfter).toBeLessThanOrEqual(2000)
    })
    const file = await conversation.export()
    for (let n = 0; n < 50; n++) expect(file).toContain(`Branch ${n}`)
  }, 60_000)
})

describe('a worker that is lost between the commit and the answer', () => {
  /** Repeats calls of a method on a second engine, as `remoteEngine` does when the worker is lost. */
  function repeating(method: string, store: LogStore): Engine {
    const first = localEngine({ store: () => store })
    const second = localEngine({ store: () => store })
    let isLost = false
    return {
      ...first,
      call: async (name, job, signal) => {
        if (isLost) return second.call(name, job, signal)
        const answer = await first.call(name, job, signal)
        if (name !== method) return answer
        isLost = true
        return second.call(name, job, signal)
      },
    }
  }

  it('R1 undo takes back one compaction', async () => {
    const store = memoryStore()
    const conversation = createTamp({ engine: repeating('undo', store), ...SMALL }).conversation(
      'gates',
    )
    await conversation.prepare(requestOf(chatOf(20)))
    await conversation.prepare(requestOf(chatOf(38)))
    expect((await conversation.compactions()).length).toBeGreaterThan(1)
    await conversation.undo()
    expect((await conversation.compactions()).filter(({ undone }) => undone)).toHaveLength(1)
  })

  it('R2 delete resolves', async () => {
    const store = memoryStore()
    const tamp = createTamp({ engine: repeating('delete', store), ...SMALL })
    const conversation = tamp.conversation('gates')
    await conversation.prepare(requestOf(chatOf(2)))
    await conversation.delete()
    expect(await tamp.conversations()).toEqual([])
  })

  it('R3 forget says that it was found', async () => {
    const store = memoryStore()
    const conversation = createTamp({ engine: repeating('forget', store) }).conversation('gates')
    await conversation.prepare(requestOf(chatOf(2)))
    expect(await conversation.forget(1)).toBe(true)
  })

  it('R4 usage is counted once', async () => {
    const store = memoryStore()
    const conversation = createTamp({ engine: repeating('settle', store) }).conversation('gates')
    const turn = await conversation.prepare(requestOf(chatOf(2)))
    const usage = { prompt_tokens: 12, completion_tokens: 6 }
    await turn.settle({ message: openai.assistant('Yes.'), usage })
    const { entries } = JSON.parse(await conversation.export())
    expect(entries.filter((entry: { type: string }) => entry.type === 'usage')).toHaveLength(1)
  })
})

describe('hostile files', () => {
  async function exported(turns = 20) {
    const conversation = openTab(memoryStore(), SMALL).conversation('gates')
    await conversation.prepare(requestOf(chatOf(turns)))
    return JSON.parse(await conversation.export())
  }
  const { sum } = {
    sum: async (entries: readonly unknown[]) => {
      const { Log } = await import('../../src/core/log/log.ts')
      return new Log(entries as never).checksum
    },
  }

  it('F1 a capture that points outside its message is refused, or harms no request', async () => {
    const file = await exported(2)
    const seq = file.entries.length
    const edit = {
      type: 'rewrite',
      seq: 1,
      part: 99,
      text: 'x',
      pass: 'p',
      reason: 'r',
      tokensBefore: 2,
      tokensAfter: 1,
    }
    file.entries.push({ type: 'capture', seq, at: 1, edits: [edit], aliases: [] })
    file.checksum = await sum(file.entries)
    const conversation = openTab(memoryStore(), SMALL).conversation('new')
    const code = await conversation.import(JSON.stringify(file)).then(
      () => 'taken',
      (e) => e.code,
    )
    expect.soft(code).toBe('invalid-conversation')
    const turn = await conversation.prepare(requestOf(chatOf(20)))
    expect(turn.report).toMatchObject({ outcome: 'compacted' })
  })

  it('F2 a compaction whose report is a stub is refused, or completed', async () => {
    const file = await exported()
    const compaction = file.entries.find((entry: { type: string }) => entry.type === 'compaction')
    compaction.report = { outcome: 'x', overheadTokens: 0, tokensBefore: 1, tokensAfter: 1 }
    const conversation = openTab(memoryStore(), SMALL).conversation('new')
    const code = await conversation.import(JSON.stringify(file)).then(
      () => 'taken',
      (e) => e.code,
    )
    if (code === 'invalid-conversation') return
    const [record] = await conversation.compactions()
    expect(record?.report.steps).toEqual(expect.any(Array))
  })

  it('F3 a message nested too deep for prepare is refused by import', async () => {
    const file = await exported(2)
    const last = file.entries.findLast((entry: { type: string }) => entry.type === 'message')
    const nest = (depth: number): unknown =>
      JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
    last.native = { ...last.native, extra: nest(300) }
    const conversation = openTab(memoryStore(), SMALL).conversation('new')
    const code = await conversation.import(JSON.stringify(file)).then(
      () => 'taken',
      (e) => e.code,
    )
    if (code === 'invalid-conversation') return
    const messages = (await conversation.transcript()).map(({ message }) => message)
    const turn = await conversation.prepare({ model: 'gpt-4o', messages })
    expect(turn.report.outcome).toBe('unchanged')
  })

  it('F4 very deep nesting is refused by code', async () => {
    const file = await exported(2)
    const last = file.entries.findLast((entry: { type: string }) => entry.type === 'message')
    last.native.content = 'HERE'
    const depth = 20_000
    const text = JSON.stringify(file).replace(
      '"HERE"',
      `[{"type":"x","a":${'['.repeat(depth)}${']'.repeat(depth)}}]`,
    )
    const conversation = openTab(memoryStore(), SMALL).conversation('new')
    await expect(conversation.import(text)).rejects.toMatchObject({ code: 'invalid-conversation' })
  })

  for (const change of [
    [
      'tip outside',
      (f: Record<string, unknown>) => {
        f.tip = 999
      },
    ],
    [
      'tip missing',
      (f: Record<string, unknown>) => {
        delete f.tip
      },
    ],
    [
      'tip huge',
      (f: Record<string, unknown>) => {
        f.tip = 1e308
      },
    ],
    [
      'version 1e9',
      (f: Record<string, unknown>) => {
        f.tamp = 1e9
      },
    ],
    [
      'version negative',
      (f: Record<string, unknown>) => {
        f.tamp = -1
      },
    ],
    [
      'version NaN',
      (f: Record<string, unknown>) => {
        f.tamp = 'NaN'
      },
    ],
    [
      'checksum',
      (f: Record<string, unknown>) => {
        f.checksum = 'x'
      },
    ],
    [
      'entries object',
      (f: Record<string, unknown>) => {
        f.entries = { length: 1 }
      },
    ],
    [
      'entry null',
      (f: Record<string, unknown>) => {
        ;(f.entries as unknown[])[0] = null
      },
    ],
    [
      'seq huge',
      (f: Record<string, unknown>) => {
        ;((f.entries as { seq: number }[]).at(-1) ?? { seq: 0 }).seq = 1e308
      },
    ],
    [
      'drafts number',
      (f: Record<string, unknown>) => {
        f.drafts = [1]
      },
    ],
  ] as const) {
    it(`F6 ${change[0]} is refused by code`, async () => {
      const file = await exported(2)
      change[1](file)
      const conversation = openTab(memoryStore(), SMALL).conversation('new')
      const code = await conversation.import(JSON.stringify(file)).then(
        () => 'taken',
        (e) => e.code,
      )
      expect(['invalid-conversation', 'newer-version']).toContain(code)
      expect(await conversation.transcript()).toEqual([])
    })
  }

  it('F7 proto keys, NUL and lone surrogates come back word for word', async () => {
    const device = memoryStore()
    const odd = JSON.parse(
      '{"role":"user","content":"a\\u0000b\\ud800c","__proto__":{"x":1},"constructor":1}',
    )
    const tamp = openTab(device)
    for (const id of [
      '__proto__',
      'constructor',
      'x'.repeat(10_000),
      '😀',
      '\ud800',
      '\0',
      'a/b?c#d',
    ]) {
      const conversation = tamp.conversation(id)
      await conversation.prepare({ model: 'gpt-4o', messages: [odd] })
      const copy = tamp.conversation(`${id} copy`)
      await copy.import(await conversation.export())
      expect((await copy.transcript())[0]?.message).toEqual(odd)
    }
    expect(await tamp.conversations()).toHaveLength(14)
  })
})
