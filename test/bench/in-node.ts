import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { localEngine } from '../../src/entries/local.ts'
import { createTamp, type TampOptions } from '../../src/index.ts'
import { memoryStore } from '../../src/storage/memory-store.ts'
import { openTab } from '../support/tabs.ts'
import { benchRequest } from './conversation.ts'
import { conversationFigures } from './conversations.ts'
import { type Figure, sizes, timed } from './figure.ts'
import { fitFigures } from './fit.ts'

/** Figures of the engine in the calling thread, in Node. */
export async function nodeFigures(): Promise<Figure[]> {
  const baseline = await baselineSpeed()
  const tamp = createTamp({ engine: localEngine() })
  try {
    const counting = await countingSpeed(tamp)
    return [
      {
        name: 'Node, count with gpt-tokenizer alone (baseline)',
        value: baseline,
        unit: 'tokens/s',
      },
      { name: 'Node, measure 100k', value: counting, unit: 'tokens/s' },
      { name: 'Node, measure 100k / baseline', value: counting / baseline, unit: 'ratio' },
      ...(await fitFigures(tamp, 'Node')),
      ...(await storedFigures()),
    ]
  } finally {
    await tamp.close()
  }
}

/** Conversations in memory: what the engine takes, the disk left out. */
async function storedFigures(): Promise<Figure[]> {
  const store = memoryStore()
  const device = { place: 'Node', openTab: async (options: TampOptions) => openTab(store, options) }
  return conversationFigures(device)
}

/** The tokenizer as its package has it, over the same kind of text. */
async function baselineSpeed(): Promise<number> {
  countTokens('the tables are loaded by the first call')
  const texts = textsOf(1)
  const { result: tokens, ms } = await timed(() =>
    texts.reduce((sum, text) => sum + countTokens(text), 0),
  )
  return (tokens / ms) * 1000
}

function textsOf(seed: number): string[] {
  const { messages } = benchRequest(sizes[1].tokens, seed)
  return messages.map(({ content }) => content ?? '')
}

async function countingSpeed(tamp: ReturnType<typeof createTamp>): Promise<number> {
  await tamp.measure(benchRequest(100, 2))
  const request = benchRequest(sizes[1].tokens, 3)
  const { result, ms } = await timed(() => tamp.measure(request))
  return (result.totalTokens / ms) * 1000
}
