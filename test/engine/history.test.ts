import { describe, expect, it } from 'vitest'
import { Histories } from '../../src/engine/conversation/histories.ts'
import { type History, placeHistory } from '../../src/engine/conversation/history.ts'
import { OpenLog } from '../../src/engine/conversation/open-log.ts'
import { identityOfEntry } from '../../src/engine/conversation/units.ts'
import type { HistoryUpdate } from '../../src/engine/conversation-jobs.ts'
import { countingWith } from '../../src/engine/setup.ts'
import type { LogStore } from '../../src/storage/log-store.ts'
import { memoryStore } from '../../src/storage/memory-store.ts'
import { openai } from '../support/build.ts'
import { countText } from '../support/count.ts'
import type { Native } from '../support/native.ts'

const chat: readonly Native[] = [
  openai.user('Check the gates.'),
  openai.calls(['c1', 'look', { gate: 1 }]),
  openai.result('c1', 'The gate is open.'),
  openai.assistant('It is open.'),
]

/** A log that is open over a store, with what the page sent of it in this session. */
async function openOver(store: LogStore) {
  const opened = await OpenLog.open({
    store,
    conversation: 'gates',
    incarnation: undefined,
    identityOf: identityOfEntry,
    notice: ({ message }) => {
      throw new Error(message)
    },
  })
  const histories = new Histories()
  const counting = countingWith('o200k_base', { count: countText })
  let sent: { readonly token: string; readonly messages: readonly Native[] } | undefined
  const place = async (update: HistoryUpdate): Promise<History> => {
    const incoming = histories.take(update, opened.generation)
    if (!incoming) throw new Error('the history is not known')
    const history = await placeHistory(opened, incoming, { offset: 0, counting })
    histories.remember(update.token, history)
    return history
  }
  /** Sends what differs from the history that was sent before, as the page does. */
  const send = (messages: readonly Native[]): Promise<History> => {
    const before = sent
    const token = `${Number(before?.token ?? 0) + 1}`
    sent = { token, messages }
    const changes = messages.flatMap((message, index) =>
      message === before?.messages[index] ? [] : [[index, structuredClone(message)] as const],
    )
    const { length } = messages
    return place({ format: 'openai-chat', base: before?.token, token, length, changes, part: 0 })
  }
  return { opened, send }
}

describe('the place of a history', () => {
  it('is made of the same units from one request to the next', async () => {
    const { send } = await openOver(memoryStore())
    const first = await send(chat)
    const second = await send([...chat, openai.user('And the second?')])
    expect(second.units.slice(0, 4).every((unit, index) => unit === first.units[index])).toBe(true)
    expect(second.path).toEqual([0, 1, 2, 3, 4])
    expect(second.ends).toEqual([1, 2, 3, 4, 5])
    expect(second.newFrom).toBe(4)
  })

  it('is made of the same units where a request is sent whole again', async () => {
    const { opened, send } = await openOver(memoryStore())
    const first = await send(chat)
    const histories = new Histories()
    const changes = chat.map((message, index) => [index, structuredClone(message)] as const)
    const update = { base: undefined, token: 'a', length: chat.length, changes, part: 0 }
    const incoming = histories.take({ format: 'openai-chat', ...update }, opened.generation)
    if (!incoming) throw new Error('the history is not known')
    const counting = countingWith('o200k_base', { count: countText })
    const again = await placeHistory(opened, incoming, { offset: 0, counting })
    expect(again.units.every((unit, index) => unit === first.units[index])).toBe(true)
  })

  it('holds the messages of the log after a reload, not what came beside them', async () => {
    const store = memoryStore()
    await (await openOver(store)).send(chat)
    const { opened, send } = await openOver(store)
    const { came, units, newFrom } = await send([...chat, openai.user('And the second?')])
    const natives = opened.log.entries().map((entry) => 'native' in entry && entry.native)
    expect(came).toEqual(natives)
    expect(came.every((message, index) => message === natives[index])).toBe(true)
    expect(units.every(({ native }, index) => native === natives[index])).toBe(true)
    expect(newFrom).toBe(4)
  })

  it('is found by what a message means where it is not the same word for word', async () => {
    const store = memoryStore()
    await (await openOver(store)).send(chat)
    const { opened, send } = await openOver(store)
    const marked = openai.user([
      { type: 'text', text: 'Check the gates.', cache_control: { type: 'ephemeral' } },
    ])
    const history = await send([marked, ...chat.slice(1)])
    expect(history.path).toEqual([0, 1, 2, 3])
    expect(opened.log.count).toBe(4)
    expect(history.came[0]).toEqual(marked)
    expect(history.units[0]?.native).toBe(history.came[0])
  })

  it('is found on an older branch', async () => {
    const store = memoryStore()
    const first = await openOver(store)
    await first.send(chat)
    const other = [...chat.slice(0, 3), openai.assistant('I cannot tell.'), openai.user('Why?')]
    expect((await first.send(other)).path).toEqual([0, 1, 2, 4, 5])
    const { opened, send } = await openOver(store)
    expect((await send(chat)).path).toEqual([0, 1, 2, 3])
    expect((await send(other)).path).toEqual([0, 1, 2, 4, 5])
    expect(opened.log.count).toBe(6)
    expect(opened.head?.tip).toBe(5)
  })

  it('keeps the order in which histories came, however long one takes', async () => {
    const { opened, send } = await openOver(memoryStore())
    const long = Array.from({ length: 400 }, (_, n) => [
      openai.user(`Question ${n}`),
      openai.assistant(`Answer ${n}. `.repeat(100)),
    ]).flat()
    const both = await Promise.all([
      send(long),
      opened.change({ natives: [] }, (log) => {
        expect(log.count).toBe(800)
        return undefined
      }),
    ])
    expect(both[0].path).toHaveLength(800)
  })
})
