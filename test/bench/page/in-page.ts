import { createTamp, type Tamp, type TampOptions } from '../../../src/index.ts'
import { compactionFigures } from '../compaction.ts'
import { benchRequest } from '../conversation.ts'
import { conversationFigures } from '../conversations.ts'
import { type Figure, median, timed } from '../figure.ts'
import { fitFigures } from '../fit.ts'
import { historyFigures } from '../histories.ts'
import { memoryFigures } from '../memory.ts'
import type { Watch } from '../watch.ts'
import type { ReadRows } from './read-rows.ts'

const START_ROUNDS = 5
const PLACE = 'Chromium worker'

declare global {
  var pageFigures: () => Promise<Figure[]>
  var pageCompactionFigures: (throttled: string) => Promise<Figure[]>
  var pageMemoryFigures: () => Promise<Figure[]>
  /** The runner's: bytes in the heap of the page's only worker. */
  var workerHeapBytes: () => Promise<number>
}

/** What the worker holds of a conversation. Called by the runner. */
globalThis.pageMemoryFigures = () =>
  memoryFigures({ place: PLACE, openTab, heapBytes: globalThis.workerHeapBytes })

/** What a compaction of a large conversation takes. Called by the runner, which throttles the page. */
globalThis.pageCompactionFigures = (throttled) =>
  compactionFigures({ place: PLACE, openTab }, watchGaps, throttled)

/** Figures of the engine in a worker, with the page's own thread watched. Called by the runner. */
globalThis.pageFigures = async () => {
  const starts: { readyMs: number; countedMs: number }[] = []
  for (let round = 0; round < START_ROUNDS; round += 1) starts.push(await startOnce())
  const tamp = createTamp()
  await tamp.ready
  try {
    const figures = await fitFigures(tamp, PLACE, watchGaps)
    const device = { place: PLACE, openTab, readRows, watch: watchGaps }
    const stored = await conversationFigures(device)
    return [
      {
        name: 'Chromium, start of the worker',
        value: median(starts.map(({ readyMs }) => readyMs)),
        unit: 'ms',
      },
      {
        name: 'Chromium, start of worker and tokenizer',
        value: median(starts.map(({ countedMs }) => countedMs)),
        unit: 'ms',
      },
      ...figures,
      ...stored,
      ...(await historyFigures({ place: PLACE, openTab }, watchGaps)),
    ]
  } finally {
    await tamp.close()
  }
}

/** A tab with a worker of its own over the page's database. */
async function openTab(options: TampOptions): Promise<Tamp> {
  const tamp = createTamp({ store: { name: 'bench' }, ...options })
  await tamp.ready
  return tamp
}

/** How long a worker of its own takes to read a conversation from the page's database. */
async function readRows(conversation: string): Promise<number> {
  const worker = new Worker(new URL('./read-rows.ts', import.meta.url), { type: 'module' })
  try {
    return await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data)
      worker.onerror = ({ message }) => reject(new Error(message))
      worker.postMessage({ store: 'bench', conversation } satisfies ReadRows)
    })
  } finally {
    worker.terminate()
  }
}

/** From nothing to a worker that answers, and to its first count. */
async function startOnce(): Promise<{ readyMs: number; countedMs: number }> {
  const start = performance.now()
  const tamp = createTamp()
  const { ms: readyMs } = await timed(() => tamp.ready)
  const { totalTokens } = await tamp.measure(benchRequest(50, Math.round(start)))
  if (totalTokens === 0) throw new Error('nothing was counted')
  const countedMs = performance.now() - start
  await tamp.close()
  return { readyMs, countedMs }
}

/**
 * The longest time between two messages that the page sends itself: what a click would have waited.
 * It sees tasks of every length, where long-task entries begin at 50 ms.
 */
const watchGaps: Watch = () => {
  const { port1, port2 } = new MessageChannel()
  let last = performance.now()
  let longest = 0
  port1.onmessage = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    port2.postMessage(0)
  }
  port2.postMessage(0)
  return {
    stop() {
      longest = Math.max(longest, performance.now() - last)
      port1.close()
      return longest
    },
  }
}
