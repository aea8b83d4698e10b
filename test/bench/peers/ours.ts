import { localEngine } from '../../../src/entries/local.ts'
import { createTamp } from '../../../src/index.ts'
import { memoryStore } from '../../../src/storage/memory-store.ts'
import type { BenchRequest } from '../conversation.ts'
import type { Work } from './peers.ts'

/** A window in which nothing is ever due. */
const ROOMY_WINDOW = 8_000_000

/** The whole request from scratch, without a model. */
export async function tampFit(request: BenchRequest, limitTokens: number): Promise<Work> {
  const tamp = createTamp({ engine: localEngine() })
  await tamp.measure({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Load the tables.' }] })
  return async () => {
    const fitted = await tamp.fit(request, { limitTokens })
    await tamp.close()
    if (fitted.report.outcome !== 'compacted') throw new Error(fitted.report.outcome)
    return fitted.request.messages.length
  }
}

/** The next request of a conversation that is stored. */
export async function tampPrepare(request: BenchRequest): Promise<Work> {
  const store = memoryStore()
  const engine = localEngine({ store: () => store })
  const tamp = createTamp({ engine, window: ROOMY_WINDOW, reserveTokens: 0 })
  const conversation = tamp.conversation('bench')
  await conversation.prepare(request)
  const question = { role: 'user', content: 'And what else, in one sentence?' } as const
  const answer = { role: 'assistant', content: 'That is all there is.' } as const
  // A request or two more, so that it is not the first of its kind.
  const warm = { ...request, messages: [...request.messages, answer, question] }
  await conversation.prepare(warm)
  const next = { ...warm, messages: [...warm.messages, answer, question] }
  return async () => {
    const { request: sent } = await conversation.prepare(next)
    await tamp.close()
    return sent.messages.length
  }
}
