import type { CountTokens } from './window.ts'

interface Waiting {
  readonly resolve: (tokens: number) => void
  readonly reject: (error: Error) => void
}

/** Texts whose counts are kept; a conversation sends the same messages again with each request. */
const keptCounts = 2_000

/**
 * Gives back a counter that asks a worker running `counter-worker.ts`, started with the first text.
 * Where that worker fails, its open counts reject and the next text starts another.
 */
export function createWorkerCounter(startWorker: () => Worker): CountTokens {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let lastId = 0

  function start(): Worker {
    const started = startWorker()
    started.addEventListener('message', (event: MessageEvent<{ id: number; tokens: number }>) => {
      waiting.get(event.data.id)?.resolve(event.data.tokens)
      waiting.delete(event.data.id)
    })
    started.addEventListener('error', (event) => {
      const error = new Error(`The simulator's token counter failed: ${event.message}`)
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
      worker = undefined
    })
    return started
  }

  function ask(text: string): Promise<number> {
    worker ??= start()
    const asked = worker
    lastId += 1
    const id = lastId
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      asked.postMessage({ id, text })
    })
  }

  return keepCounts(ask)
}

function keepCounts(count: (text: string) => Promise<number>): CountTokens {
  const counts = new Map<string, Promise<number>>()
  return (text) => {
    const known = counts.get(text)
    if (known !== undefined) return known
    const counted = count(text)
    if (counts.size >= keptCounts) counts.clear()
    counts.set(text, counted)
    // A failure is not kept: the next request may find a counter that works.
    counted.catch(() => counts.delete(text))
    return counted
  }
}
