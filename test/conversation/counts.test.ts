import { afterEach, describe, expect, it, vi } from 'vitest'
import type { LogEntry, MessageCounts } from '../../src/core/log/entry.ts'
import type { TampOptions } from '../../src/index.ts'
import type { LogStore } from '../../src/storage/log-store.ts'
import { memoryStore } from '../../src/storage/memory-store.ts'
import { anthropic, openai } from '../support/build.ts'
import type { Native } from '../support/native.ts'
import { openTab } from '../support/tabs.ts'
import { chatOf, longText, requestOf } from './chats.ts'

const counted = vi.hoisted(() => ({ texts: [] as string[] }))

/** Each text of a message that the counter of parts hands to the tokenizer is written down. */
vi.mock('../../src/tokens/parts.ts', async (importOriginal) => {
  const parts = await importOriginal<typeof import('../../src/tokens/parts.ts')>()
  const partCounter: typeof parts.partCounter = (counter, stored) => {
    const count = (text: string) => {
      if (text !== '' && !text.startsWith('[tamp checkpoint')) counted.texts.push(text)
      return counter.count(text)
    }
    return parts.partCounter({ ...counter, count }, stored)
  }
  return { ...parts, partCounter }
})

afterEach(() => {
  counted.texts.length = 0
})

const ROOMY: TampOptions = { window: 1_000_000, reserveTokens: 0 }

const openaiChat: readonly Native[] = [
  openai.system('Be brief.'),
  { role: 'user', name: 'ada', content: 'Look at the gates.' },
  openai.user([{ type: 'text', text: 'This one:' }, openai.image('https://example.org/gate.png')]),
  openai.calls(['c1', 'look', { gate: 1 }], ['c2', 'look', { gate: 2 }]),
  openai.result('c1', longText('Gate 1')),
  openai.result('c2', longText('Gate 2')),
  openai.assistant('Both are open.'),
  { role: 'user', name: 'bob', content: 'And the third?' },
]

const mark = { cache_control: { type: 'ephemeral' } }

const anthropicChat = (markAt: number): readonly Native[] => {
  const blocks = [
    anthropic.user({ type: 'text', text: 'Look at the gates.', ...(markAt === 0 ? mark : {}) }),
    anthropic.assistant('I look.', anthropic.call('t1', 'look', { gate: 1 })),
    anthropic.user(anthropic.result('t1', longText('Gate 1'), markAt === 2 ? mark : {})),
    anthropic.assistant('It is open.'),
    anthropic.user({ type: 'text', text: 'And the second?', ...(markAt === 4 ? mark : {}) }),
  ]
  return blocks.slice(0, markAt + 1)
}

const anthropicRequest = (messages: readonly Native[]) => ({
  model: 'claude-sonnet-4-5',
  max_tokens: 1000,
  messages: [...messages],
})

/** Prepares a request as a tab that was just opened does; gives back its size and what was counted for it. */
async function afterReload(store: LogStore, request: object) {
  counted.texts.length = 0
  const { report } = await openTab(store, ROOMY).conversation('gates').prepare(request)
  return { tokens: report.tokensBefore, texts: [...counted.texts] }
}

const messagesIn = (entries: readonly LogEntry[]) =>
  entries.flatMap((entry) => (entry.type === 'message' ? [entry] : []))

describe('counts of a conversation', () => {
  it('are not made again after a reload', async () => {
    const store = memoryStore()
    const request = requestOf(openaiChat)
    const first = await openTab(store, ROOMY).conversation('gates').prepare(request)
    const again = await afterReload(store, request)
    expect(again).toEqual({ tokens: first.report.tokensBefore, texts: [] })
    expect(again.tokens).toBe((await openTab(store, ROOMY).measure(request)).totalTokens)
  })

  it('are made of what is new after a reload', async () => {
    const store = memoryStore()
    await openTab(store, ROOMY).conversation('gates').prepare(requestOf(openaiChat))
    const more = [openai.assistant('It is shut.'), openai.user('Why?')]
    const { texts } = await afterReload(store, requestOf([...openaiChat, ...more]))
    expect(texts).toEqual(['It is shut.', 'Why?'])
  })

  it('are those of messages whose cache marks moved since', async () => {
    const store = memoryStore()
    const conversation = openTab(store, ROOMY).conversation('gates')
    for (const markAt of [0, 2, 4])
      await conversation.prepare(anthropicRequest(anthropicChat(markAt)))
    const request = anthropicRequest(anthropicChat(4))
    const { tokens, texts } = await afterReload(store, request)
    expect(texts).toEqual([])
    expect(tokens).toBe((await openTab(store, ROOMY).measure(request)).totalTokens)
  })

  it('are stored with a reply that settled', async () => {
    const store = memoryStore()
    const turn = await openTab(store, ROOMY).conversation('gates').prepare(requestOf(openaiChat))
    const message = openai.assistant('It is shut.')
    await turn.settle({ message })
    const { texts } = await afterReload(store, requestOf([...openaiChat, message]))
    expect(texts).toEqual([])
  })

  it('are made of what a file brings, and stand in no file', async () => {
    const store = memoryStore()
    const conversation = openTab(store, ROOMY).conversation('gates')
    await conversation.prepare(requestOf(openaiChat))
    const file = await conversation.export()
    expect(file).not.toContain('counts')
    const lying = JSON.parse(file)
    for (const entry of lying.entries)
      entry.counts = { encoding: 'o200k_base', rules: 1, name: 0, parts: [0, 0] }
    const other = memoryStore()
    await openTab(other, ROOMY).conversation('gates').import(JSON.stringify(lying))
    const sums = async (from: LogStore) =>
      messagesIn((await from.read('gates')).entries).map(({ counts }) => counts)
    expect(await sums(other)).toEqual(await sums(store))
  })

  it('are made by the counter of the request where another encoding stored them', async () => {
    const store = memoryStore()
    await openTab(store, ROOMY).conversation('gates').prepare(requestOf(openaiChat))
    const request = requestOf(openaiChat, { model: 'gpt-4' })
    const { tokens, texts } = await afterReload(store, request)
    expect(texts).toContain('Both are open.')
    expect(tokens).toBe((await openTab(store, ROOMY).measure(request)).totalTokens)
  })

  const damages: readonly (readonly [string, (good: MessageCounts) => unknown])[] = [
    ['are missing', () => undefined],
    ['are no list', (good) => ({ ...good, parts: { length: 1, 0: 77 } })],
    ['are missing in part', (good) => ({ ...good, parts: [] })],
    ['are too many', (good) => ({ ...good, parts: [77, 77] })],
    ['are texts', (good) => ({ ...good, parts: ['77'], name: '77' })],
    ['are negative', (good) => ({ ...good, parts: [-7], name: -2 })],
    ['are no whole numbers', (good) => ({ ...good, parts: [7.5], name: Number.NaN })],
    ['are beyond all numbers', (good) => ({ ...good, parts: [2 ** 60], name: 2 ** 60 })],
    ['are of other rules', (good) => ({ ...good, rules: 0, parts: [77] })],
    ['are of no known encoding', (good) => ({ ...good, encoding: 'none', parts: [77] })],
    ['are nothing at all', () => 77],
  ]

  it.each(damages)('are made anew where those in a row %s', async (_, damage) => {
    const store = memoryStore()
    const chat = [{ role: 'user', name: 'ada', content: 'Look at the gates.' }]
    await openTab(store, ROOMY).conversation('gates').prepare(requestOf(chat))
    await store.change(
      { conversation: 'gates', incarnation: undefined, fromSeq: 0, natives: [] },
      ({ head, entries }) => {
        const [entry] = messagesIn(entries)
        if (!head || !entry?.counts) throw new Error('no counts are stored')
        return { head, replace: [{ ...entry, counts: damage(entry.counts) } as LogEntry] }
      },
    )
    const { tokens } = await afterReload(store, requestOf(chat))
    expect(tokens).toBe((await openTab(store, ROOMY).measure(requestOf(chat))).totalTokens)
  })

  it('are made once in a session, however often it is prepared', async () => {
    const conversation = openTab(memoryStore(), ROOMY).conversation('gates')
    await conversation.prepare(requestOf(chatOf(5)))
    counted.texts.length = 0
    const more = [...chatOf(5), openai.assistant('Done.'), openai.user('Thanks.')]
    await conversation.prepare(requestOf(more))
    await conversation.prepare(requestOf(more))
    expect(counted.texts).toEqual(['Done.', 'Thanks.'])
  })
})
