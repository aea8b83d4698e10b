import { describe, expect, it } from 'vitest'
import { createTamp, type Summarizer, type TampOptions } from '../../src/index.ts'
import { openai } from '../support/build.ts'
import { bytesOf, chatOf, requestOf } from './chats.ts'

/** Makes workers that can be killed from outside. */
function workshop() {
  const workers: Worker[] = []
  const make = () => {
    const url = new URL('../../worker/worker.ts', import.meta.url)
    const worker = new Worker(url, { type: 'module' })
    workers.push(worker)
    return worker
  }
  return { make, killNewest: () => workers.at(-1)?.terminate() }
}

const openTab = (store: string, options: TampOptions = {}) => {
  const { make, killNewest } = workshop()
  const window = { window: 2000, reserveTokens: 0 }
  const tamp = createTamp({ worker: make, store: { name: store }, ...window, ...options })
  return { tamp, conversation: tamp.conversation('gates'), killNewest }
}

describe('a conversation in a worker', () => {
  it('goes on byte for byte in the next tab', async () => {
    const store = crypto.randomUUID()
    const first = openTab(store)
    const made = await first.conversation.prepare(requestOf(chatOf(20)))
    expect(made.report.outcome).toBe('compacted')
    expect(first.conversation.getSnapshot().storage).toBe('durable')
    await first.tamp.close()
    const second = openTab(store)
    const again = await second.conversation.prepare(requestOf(chatOf(20)))
    expect(bytesOf(again.request)).toBe(bytesOf(made.request))
    await second.tamp.close()
  })

  it('crosses in parts where the first history is large', async () => {
    const { tamp, conversation } = openTab(crypto.randomUUID(), { window: 1_000_000 })
    const text = 'A line that is long enough to matter here. '.repeat(500)
    const messages = Array.from({ length: 60 }, (_, n) =>
      n % 2 === 0 ? openai.user(`${n} ${text}`) : openai.assistant(`${n} ${text}`),
    )
    await conversation.prepare(requestOf(messages))
    expect((await conversation.transcript()).map(({ message }) => message)).toEqual(messages)
    await tamp.close()
  })

  it('outlives its worker in the middle of a summary', async () => {
    let kill: () => void = () => {}
    const summarizer: Summarizer = async () => {
      kill()
      return 'The deploy key is K-4217; the gates so far were looked at, nothing was found.'
    }
    const { tamp, conversation, killNewest } = openTab(crypto.randomUUID(), { summarizer })
    kill = () => {
      killNewest()
      kill = () => {}
    }
    const { report, request } = await conversation.prepare(requestOf(chatOf(20)))
    expect(report).toMatchObject({ outcome: 'compacted', summary: { source: 'function' } })
    const again = await conversation.prepare(requestOf(chatOf(20)))
    expect(bytesOf(again.request)).toBe(bytesOf(request))
    await tamp.close()
  })
})
