import { CHECKPOINT_END, CHECKPOINT_START, type Tamp } from 'tamp'
import type { Provider } from './chat/exchange.ts'
import { createSimulator } from './simulator/simulator.ts'
import { createWorkerCounter } from './simulator/worker-counter.ts'

/** The pace of a quick provider, in milliseconds; people who want no motion get the answer at once. */
const firstPieceMs = 180
const pieceMs = 16

/**
 * Creates the simulated provider of the page: its counter runs in a worker of its own. That is started
 * once Tamp's is there, since two workers that read their tables at once keep a slow machine waiting.
 */
export function createPageProvider(tamp: Tamp): (windowTokens: number) => Provider {
  const countTokens = createWorkerCounter(startCounterWorker)
  const warmUp = () => countTokens('ready')
  tamp.ready.then(warmUp, warmUp)
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches
  return (windowTokens) =>
    createSimulator({
      windowTokens,
      countTokens,
      summaryMarks: { start: CHECKPOINT_START, end: CHECKPOINT_END },
      wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
      firstPieceMs: isCalm ? 0 : firstPieceMs,
      pieceMs: isCalm ? 0 : pieceMs,
      nowSeconds: () => Math.floor(Date.now() / 1000),
    })
}

function startCounterWorker(): Worker {
  return new Worker(new URL('./simulator/counter-worker.ts', import.meta.url), { type: 'module' })
}
