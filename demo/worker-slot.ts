/** Makes Tamp's worker and remembers the newest one, so that a test or a curious person can kill it. */
export interface WorkerSlot {
  readonly create: () => Worker
  /** Terminates the newest worker; Tamp notices and asks for another. */
  readonly kill: () => void
}

export function createWorkerSlot(): WorkerSlot {
  let newest: Worker | undefined
  return {
    create() {
      newest = new Worker(new URL('../worker/worker.ts', import.meta.url), { type: 'module' })
      return newest
    },
    kill: () => newest?.terminate(),
  }
}
