import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { openCounter } from '../../src/tokens/bpe/open-counter.ts'
import { type CorpusName, corpora } from '../support/corpora.ts'
import { longRuns } from './long-runs.ts'

/** One of the tokenizers that are compared, all of them with o200k_base. */
export type LibraryName = 'Tamp' | 'gpt-tokenizer' | 'tiktoken' | 'ai-tokenizer' | 'js-tiktoken'

/** What a child is asked: to count a corpus, forgetting what it knows first, and then once more; or a long run. */
export type CountingTask =
  | { readonly type: 'corpus'; readonly corpus: CorpusName; readonly units: number }
  | { readonly type: 'run'; readonly run: string; readonly units: number }
  | { readonly type: 'memory' }

/** CPU time of the process in milliseconds: the wall clock says little on a machine that others use too. */
export interface CountingAnswer {
  readonly tokens: number
  readonly coldMs: number
  readonly warmMs: number
  readonly megabytes: number
}

interface Library {
  readonly count: (text: string) => number
  readonly clear: () => void
}

const require = createRequire(import.meta.url)

const libraries: Readonly<Record<LibraryName, () => Promise<Library>>> = {
  Tamp: async () => {
    const bytes = new Uint8Array(readFileSync('worker/ranks/o200k_base.bin'))
    const counter = openCounter('o200k_base', { bytes })
    return { count: counter.count, clear: () => counter.clear() }
  },
  'gpt-tokenizer': async () => {
    const { clearMergeCache, countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
    const asText = { disallowedSpecial: new Set<string>() }
    return { count: (text) => countTokens(text, asText), clear: clearMergeCache }
  },
  tiktoken: async () => {
    const { Tiktoken } = await import('tiktoken/lite')
    const file = require('tiktoken/encoders/o200k_base.json')
    const tiktoken = new Tiktoken(file.bpe_ranks, file.special_tokens, file.pat_str)
    return { count: (text) => tiktoken.encode_ordinary(text).length, clear: () => {} }
  },
  'ai-tokenizer': async () => {
    const { Tokenizer } = await import('ai-tokenizer')
    const tokenizer = new Tokenizer(await import('ai-tokenizer/encoding/o200k_base'))
    // Private: nothing else counts special tokens as text, or empties its cache.
    const inner = tokenizer as unknown as {
      readonly encodeOrdinary: (text: string) => readonly number[]
      readonly mergeCache: { readonly clear: () => void }
    }
    return {
      count: (text) => inner.encodeOrdinary(text).length,
      clear: () => inner.mergeCache.clear(),
    }
  },
  'js-tiktoken': async () => {
    const { Tiktoken } = await import('js-tiktoken/lite')
    const { default: ranks } = await import('js-tiktoken/ranks/o200k_base')
    const tiktoken = new Tiktoken(ranks)
    return { count: (text) => tiktoken.encode(text, [], []).length, clear: () => {} }
  },
}

const usedMegabytes = (): number => {
  if (!globalThis.gc) throw new Error('start the child with --expose-gc')
  globalThis.gc()
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1e6
}

const cpuMs = (work: () => void): number => {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const WARM_UP_UNITS = 20_000

async function start(name: LibraryName): Promise<(task: CountingTask) => CountingAnswer> {
  const before = usedMegabytes()
  const library = await libraries[name]()
  library.count('The tables are loaded by the first count.')
  const loaded = usedMegabytes() - before
  const texts = corpora(1 << 19)
  for (const text of Object.values(texts)) library.count(text.slice(0, WARM_UP_UNITS))
  return (task) => {
    if (task.type === 'memory') return { tokens: 0, coldMs: 0, warmMs: 0, megabytes: loaded }
    const text =
      task.type === 'corpus'
        ? texts[task.corpus].slice(0, task.units)
        : (longRuns[task.run]?.(task.units) ?? '')
    if (text === '') throw new RangeError(`there is no ${JSON.stringify(task)}`)
    let tokens = 0
    const count = () => {
      tokens = library.count(text)
    }
    library.clear()
    const coldMs = cpuMs(count)
    const warmMs = task.type === 'corpus' ? cpuMs(count) : coldMs
    return { tokens, coldMs, warmMs, megabytes: loaded }
  }
}

const answerTo = start(process.argv[2] as LibraryName) // the parent names one of them
process.on('message', async (task: CountingTask) => {
  process.send?.((await answerTo)(task))
})
