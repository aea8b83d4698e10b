import { describe, expect, it } from 'vitest'
import type { Summarizer } from '../../src/index.ts'
import { memoryStore } from '../../src/storage/memory-store.ts'
import { openai } from '../support/build.ts'
import type { Native } from '../support/native.ts'
import { openTab } from '../support/tabs.ts'
import { bytesOf, chatOf, longText, requestOf } from './chats.ts'

const SMALL = { window: 2000, reserveTokens: 0 } as const

/** A task of so many paragraphs, none of which is a paste that the last rung could shorten. */
function bigTask(paragraphs: number): Native {
  const all = Array.from({ length: paragraphs }, (_, n) => longText(`Gate ${n}`))
  return openai.user(all.join('\n\n'))
}

describe('pressure in a conversation', () => {
  it('Z6 a compaction that ends above the mark raises it, until the size was under it once', async () => {
    const store = memoryStore()
    const open = () => openTab(store, SMALL).conversation('gates')
    const conversation = open()
    const small = (n: number) => [openai.assistant(longText(`Gate ${n}`)), openai.user(`And ${n}?`)]
    const turns = (count: number) => Array.from({ length: count }, (_, n) => small(n)).flat()
    const history = (count: number) => [bigTask(25), ...turns(count)]
    const outcomeOf = async (messages: readonly Native[], chat = conversation) => {
      const { report } = await chat.prepare(requestOf(messages))
      return `${report.outcome} at ${report.tokensBefore} of 2000`
    }
    const outcomes: string[] = []
    for (let count = 4; count <= 7; count++) outcomes.push(await outcomeOf(history(count)))
    expect(outcomes).toEqual([
      'nothing-to-do at 1995 of 2000',
      'compacted at 2074 of 2000',
      'unchanged at 1811 of 2000',
      'unchanged at 1890 of 2000',
    ])
    expect(await outcomeOf(history(7), open())).toBe('unchanged at 1890 of 2000')
  })

  it('Z6 a raised mark is lowered for good once the size was under it', async () => {
    const store = memoryStore()
    const open = () => openTab(store, SMALL).conversation('gates')
    const conversation = open()
    const turn = (n: number) => [openai.assistant(longText(`Gate ${n}`)), openai.user(`And ${n}?`)]
    const turns = Array.from({ length: 5 }, (_, n) => turn(n)).flat()
    const long = openai.user([0, 1, 2].map((n) => longText(`Question ${n}`)).join('\n\n'))
    const before = [bigTask(22), ...turns.slice(0, -1)]
    const outcome = async (messages: readonly Native[], chat = conversation) =>
      (await chat.prepare(requestOf(messages))).report.outcome
    expect(await outcome([...before, long])).toBe('compacted')
    const more = [turn(6), turn(7), turn(8)].flat()
    // Above the mark, below the raised one.
    expect(await outcome([...before, long, ...more.slice(0, 1)])).toBe('unchanged')
    const short = [...before, openai.user('So?')]
    expect(await outcome(short)).toBe('unchanged')
    expect(await outcome([...short, ...more])).toBe('nothing-to-do')
    expect(await outcome([...short, ...more], open())).toBe('nothing-to-do')
  })

  it('DESIGN 5.7 two attempts in a row that free too little are the last until the history has grown', async () => {
    let calls = 0
    const summarizer: Summarizer = async () => {
      calls++
      return ''
    }
    const conversation = openTab(memoryStore(), { ...SMALL, summarizer }).conversation('gates')
    const skipped: string[] = []
    conversation.on('compaction:skipped', ({ reason }) => skipped.push(String(reason)))
    const outcomes: string[] = []
    for (let n = 0; n < 4; n++) {
      const { report } = await conversation.prepare(requestOf(chatOf(20)))
      outcomes.push(report.outcome)
    }
    expect(outcomes).toEqual(['failed', 'failed', 'nothing-to-do', 'nothing-to-do'])
    expect(calls).toBe(2)
    expect(skipped[0]).toMatch(
      /^two compactions in a row freed too little; the floor is \d+ tokens$/u,
    )
    const grown = await conversation.prepare(requestOf(chatOf(23)))
    expect(grown.report.outcome).toBe('failed')
    expect(calls).toBe(3)
  })

  it('K11 the next step of usual size triggers nothing', async () => {
    const conversation = openTab(memoryStore(), SMALL).conversation('gates')
    expect((await conversation.prepare(requestOf(chatOf(20)))).report.outcome).toBe('compacted')
    expect((await conversation.prepare(requestOf(chatOf(21)))).report.outcome).toBe('unchanged')
  })

  it('K6 overhead alone above the window is named before anything is bought, and the message is kept', async () => {
    const conversation = openTab(memoryStore(), SMALL).conversation('gates')
    const request = requestOf([openai.system(longText('Rule').repeat(60)), openai.user('Hello?')])
    await expect(conversation.prepare(request)).rejects.toMatchObject({
      code: 'cannot-fit',
      details: { cause: 'overhead', limitTokens: 2000 },
    })
    expect(await conversation.transcript()).toHaveLength(1)
  })

  it('K6 the reserve is the request’s own limit on the answer, at most half of the window', async () => {
    const conversation = openTab(memoryStore(), { window: 2000 }).conversation('gates')
    const free = async (more: object) => {
      const measured = await conversation.measure(requestOf(chatOf(1), more))
      return (measured.limitTokens ?? 0) as number
    }
    expect(await free({ max_tokens: 300 })).toBe(1700)
    expect(await free({ max_completion_tokens: 400 })).toBe(1600)
    expect(await free({})).toBe(1000)
  })

  it('a window by model wins over the table, and one for all models over both', async () => {
    const limit = async (window: number | Record<string, number>, model: string) => {
      const tamp = openTab(memoryStore(), { window, reserveTokens: 0 })
      const request = { ...requestOf(chatOf(1)), model }
      return (await tamp.conversation('gates').measure(request)).limitTokens
    }
    expect(await limit({ 'gpt-4o': 5000 }, 'gpt-4o')).toBe(5000)
    expect(await limit({ other: 5000 }, 'gpt-4o')).toBe(128_000)
    expect(await limit(7000, 'gpt-4o')).toBe(7000)
  })

  it('one more question in a tool loop keeps the bytes before it', async () => {
    const conversation = openTab(memoryStore(), SMALL).conversation('gates')
    const step = (n: number) => [
      openai.calls([`c${n}`, 'read_file', { path: `gate-${n}.txt` }]),
      openai.result(`c${n}`, longText(`Gate ${n}`)),
    ]
    const history: Native[] = [openai.user('Read the gates.')]
    let before = ''
    for (let n = 0; n < 30; n++) {
      history.push(...step(n))
      const { request, report } = await conversation.prepare(requestOf(history))
      if (report.outcome === 'unchanged') {
        expect(bytesOf(request).startsWith(before.slice(0, -1))).toBe(true)
      }
      before = bytesOf(request)
    }
    expect(await conversation.transcript()).toHaveLength(61)
  })
})
