import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Summarizer, Tamp, TampOptions } from '../../src/index.ts'
import { memoryStore } from '../../src/storage/memory-store.ts'
import { anthropic, openai } from '../support/build.ts'
import { jumpingClock } from '../support/clock.ts'
import { failingStore } from '../support/failing-store.ts'
import type { Native } from '../support/native.ts'
import { openTab } from '../support/tabs.ts'
import { chatOf, longText, requestOf } from './chats.ts'

/** A window in which about 35 messages of `chatOf` fit. */
const SMALL = { window: 2000, reserveTokens: 0 } as const

/** A store that can fail, and tabs over it. Once it is mended the clock jumps over the wait for it. */
function place() {
  const failing = failingStore(memoryStore())
  const open = (options: TampOptions = {}): Tamp => openTab(failing.store, { ...SMALL, ...options })
  const chat = () => open().conversation('gates')
  const clock = jumpingClock()
  const mend = () => {
    failing.mend()
    clock.skip(3_000)
  }
  return { ...failing, open, chat, mend }
}

afterEach(() => {
  vi.restoreAllMocks()
})

const said = (transcript: readonly { readonly message: unknown }[]): readonly unknown[] =>
  transcript.map(({ message }) => message)

describe('faults that the model found', () => {
  it('a reply to an empty conversation is not in the transcript', async () => {
    const conversation = place().chat()
    const turn = await conversation.prepare(requestOf([]))
    const reply = openai.assistant('Welcome.')
    await turn.settle({ message: reply })
    expect(said(await conversation.transcript())).toEqual([reply])
  })

  it('an import of its own file adds compactions twice', async () => {
    const conversation = place().chat()
    const results = ['a', 'b', 'c'].map((id) => openai.result(id, longText(id).repeat(14)))
    const calls = openai.calls(['a', 'run', {}], ['b', 'run', {}], ['c', 'run', {}])
    const { report } = await conversation.prepare(
      requestOf([openai.user('Look.'), calls, ...results]),
    )
    expect(report.outcome).toBe('compacted')
    const imported = await conversation.import(await conversation.export())
    expect(imported).toMatchObject({ addedMessages: 0, addedCompactions: 0 })
    expect(await conversation.compactions()).toHaveLength(1)
  })

  it('the snapshot counts a message that was forgotten', async () => {
    const conversation = place().chat()
    await conversation.prepare(requestOf(chatOf(2)))
    await conversation.forget(1)
    expect(conversation.getSnapshot().messages).toBe(4)
    expect(await conversation.transcript()).toHaveLength(4)
  })

  it('a path that was sent again is not the active one where another tab went elsewhere', async () => {
    const { chat } = place()
    const [one, two] = [chat(), chat()]
    await one.prepare(requestOf(chatOf(2)))
    await two.prepare(requestOf([openai.user('Another matter.')]))
    await one.prepare(requestOf(chatOf(2)))
    expect(said(await two.transcript())).toEqual(chatOf(2).slice(1))
  })

  it('a compaction by hand works on the path that another tab left', async () => {
    const { chat } = place()
    const [one, two] = [chat(), chat()]
    await one.prepare(requestOf(chatOf(2)))
    await two.prepare(requestOf(chatOf(12)))
    const { messagesBefore } = await one.compact()
    expect(messagesBefore).toBe(25)
  })

  it('a second compaction by hand behind a forgotten message starts from scratch', async () => {
    const conversation = place().chat()
    await conversation.prepare(requestOf(chatOf(12)))
    await conversation.forget(1)
    const first = await conversation.compact()
    const second = await conversation.compact()
    expect(first.outcome).toBe('compacted')
    expect(second.tokensBefore).toBe(first.tokensAfter)
  })

  it('its own output is not known again where a blank message was left out of it', async () => {
    const conversation = place().chat()
    const blank = openai.user(' \n')
    const old = openai.result('c1', longText('The log').repeat(12))
    const read = [openai.calls(['c1', 'run', {}]), old]
    const messages = [...chatOf(0), blank, ...read, ...chatOf(12).slice(2)]
    const { request } = await conversation.prepare(requestOf(messages))
    await conversation.prepare(requestOf([...(request.messages as Native[]), blank]))
    expect(said(await conversation.transcript())).toEqual([...messages.slice(1), blank])
  })

  it('its own output is not known again on an older path that a compaction holds on', async () => {
    const conversation = place().chat()
    await conversation.prepare(requestOf(chatOf(20)))
    const back = chatOf(20).slice(0, -1)
    const [{ through = 0 } = {}] = await conversation.compactions()
    const short = back.slice(0, through + 2)
    const { request } = await conversation.prepare(requestOf(short))
    const more = openai.user('What next?')
    await conversation.prepare(requestOf([...(request.messages as Native[]), more]))
    expect(said(await conversation.transcript())).toEqual([...short.slice(1), more])
  })

  it('an older tool loop that runs again has lost its reasoning', async () => {
    const conversation = place().chat()
    const head = { model: 'claude-x', max_tokens: 100, system: 'x', thinking: { type: 'enabled' } }
    const idea = longText('My idea').repeat(9)
    const loop = [
      anthropic.user('Look.'),
      anthropic.assistant(anthropic.thinking(idea, 'Eo1='), anthropic.call('c1', 'run', {})),
      anthropic.user(anthropic.result('c1', 'done')),
    ]
    const turns = Array.from({ length: 15 }, (_, n) => [
      anthropic.assistant(`Gate ${n}.`),
      anthropic.user(longText(`Gate ${n}`)),
    ])
    const request = { ...head, messages: [...loop, ...turns.flat()] }
    const { report } = await conversation.prepare(request)
    expect(report).toMatchObject({ outcome: 'compacted', summary: undefined })
    const back = { ...head, messages: loop }
    expect((await conversation.prepare(back)).request).toBe(back)
  })
})

describe('faults that the model found while the store fails', () => {
  it('a draft, and a path that an app went back to, are not stored when it is mended', async () => {
    const { fail, mend, open, chat } = place()
    const tab = open()
    const conversation = tab.conversation('gates')
    await conversation.prepare(requestOf(chatOf(3)))
    fail('write')
    const turn = await conversation.prepare(requestOf(chatOf(2)))
    turn.draft(openai.assistant('All gates'))
    await conversation.compactions()
    mend()
    await conversation.transcript()
    const seen = said(await chat().transcript())
    expect(seen).toEqual([...chatOf(2).slice(1), openai.assistant('All gates')])
  })

  it('a reply is hung below another message where another tab wrote meanwhile', async () => {
    const { fail, mend, chat } = place()
    const [one, two] = [chat(), chat()]
    await one.prepare(requestOf(chatOf(1)))
    await two.prepare(requestOf(chatOf(1)))
    fail('write', 'storage-failed')
    const turn = await one.prepare(requestOf(chatOf(2)))
    mend()
    await two.prepare(requestOf([...chatOf(1), openai.user('And the others?')]))
    const reply = openai.assistant('Gate 2 is open.')
    await turn.settle({ message: reply })
    expect(said(await chat().transcript())).toEqual([...chatOf(2).slice(1), reply])
  })

  it('a request that is too large goes out where the store is mended while it is compacted', async () => {
    const { fail, mend, open, chat } = place()
    const two = chat()
    const whileAsked = async () => {
      mend()
      await two.prepare(requestOf([openai.user('Another matter.')]))
    }
    const summarizer: Summarizer = async () => {
      await whileAsked()
      return 'The deploy key is K-4217; the gates so far were looked at, nothing was found.'
    }
    const one = open({ summarizer }).conversation('gates')
    fail('write')
    const { report } = await one.prepare(requestOf(chatOf(24)))
    expect(report.outcome).toBe('compacted')
    expect(report.tokensAfter).toBeLessThanOrEqual(2000)
  })
})
