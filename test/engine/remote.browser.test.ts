import { describe, expect, it } from 'vitest'
import { PROTOCOL } from '../../src/engine/protocol.ts'
import { remoteEngine } from '../../src/engine/remote.ts'
import { localEngine } from '../../src/entries/local.ts'
import { createTamp } from '../../src/index.ts'
import { chat, engineConformance } from './conformance.ts'

const makeWorker = () =>
  new Worker(new URL('../../worker/worker.ts', import.meta.url), { type: 'module' })

engineConformance('the local engine in a page', localEngine)
engineConformance('the engine in a worker', () => remoteEngine({ worker: makeWorker }))

/** A worker made of a text. */
function workerOf(source: string): Worker {
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }))
  return new Worker(url)
}

/** A factory that hands out the given workers in turn, the last one again and again. */
function inTurn(...makers: readonly (() => Worker)[]) {
  let made = 0
  const workers: Worker[] = []
  const factory = () => {
    const maker = makers[Math.min(made++, makers.length - 1)]
    const worker = maker ? maker() : makeWorker()
    workers.push(worker)
    return worker
  }
  return { factory, workers }
}

const SILENT = 'onmessage = () => {}'
const HANGING = `postMessage({ tamp: { protocol: ${PROTOCOL}, alive: true } }); onmessage = () => { for (;;) {} }`
/** Long enough for a good worker on a busy machine, short enough to wait for a silent one. */
const deadlines = { startMs: 8000, silenceMs: 3000 }

describe('a worker that is lost', () => {
  it('is used by default from the file beside the library', async () => {
    const tamp = createTamp()
    expect(await tamp.ready).toEqual({ worker: true })
    const { report } = await tamp.fit(chat(), { limitTokens: 900 })
    expect(report.outcome).toBe('compacted')
    await tamp.close()
  })

  it('gives the same bytes as the local engine', async () => {
    const [here, there] = [
      createTamp({ engine: localEngine() }),
      createTamp({ worker: makeWorker }),
    ]
    const [one, two] = await Promise.all(
      [here, there].map((tamp) => tamp.fit(chat(), { limitTokens: 900 })),
    )
    expect(JSON.stringify(two?.request)).toBe(JSON.stringify(one?.request))
    await Promise.all([here.close(), there.close()])
  })

  it('is replaced when it is terminated, and its calls are repeated', async () => {
    const { factory, workers } = inTurn(makeWorker)
    const tamp = createTamp({ engine: remoteEngine({ worker: factory, deadlines }) })
    const restarts: unknown[] = []
    tamp.on('engine:restarted', (event) => restarts.push(event))
    await tamp.ready
    const fitting = tamp.fit(chat(3000), { limitTokens: 900 })
    workers[0]?.terminate()
    expect((await fitting).report.outcome).toBe('compacted')
    expect(workers).toHaveLength(2)
    expect(restarts).toHaveLength(1)
    await tamp.close()
  })

  it('is noticed when it ends while nobody waits', async () => {
    const { factory, workers } = inTurn(makeWorker)
    const tamp = createTamp({ engine: remoteEngine({ worker: factory, deadlines }) })
    await tamp.ready
    const noticed = new Promise((resolve) => tamp.on('engine:restarted', resolve))
    workers[0]?.terminate()
    expect(await noticed).toMatchObject({ reason: 'the worker ended' })
    expect((await tamp.measure(chat(1))).totalTokens).toBeGreaterThan(50)
    expect(workers).toHaveLength(2)
    await tamp.close()
  })

  it('is replaced between two steps of a compaction that waits for a model', async () => {
    const { factory, workers } = inTurn(makeWorker)
    const tamp = createTamp({
      engine: remoteEngine({ worker: factory, deadlines }),
      summarizer: async () => {
        workers[0]?.terminate()
        return 'The gates 0 to 20 were looked at; nothing was found in them.'
      },
    })
    const { report } = await tamp.fit(chat(), { limitTokens: 900 })
    expect(report).toMatchObject({
      outcome: 'compacted',
      summary: { source: 'function' },
      summarizerCalls: 1,
    })
    expect(workers).toHaveLength(2)
    await tamp.close()
  })

  it.each([
    ['cannot be found', () => new Worker('/no-such-worker.js', { type: 'module' })],
    ['throws as it starts', () => workerOf('throw new Error("broken")')],
    ['never answers', () => workerOf(SILENT)],
    [
      'speaks another protocol',
      () => workerOf(`postMessage({ tamp: { protocol: 99, alive: true } })`),
    ],
  ])('is started once more when it %s', async (_, broken) => {
    const { factory, workers } = inTurn(broken, makeWorker)
    const tamp = createTamp({ engine: remoteEngine({ worker: factory, deadlines }) })
    expect(await tamp.ready).toEqual({ worker: true })
    expect(workers).toHaveLength(2)
    await tamp.close()
  })

  it.each([
    ['cannot be found', () => new Worker('/no-such-worker.js', { type: 'module' })],
    ['throws as it starts', () => workerOf('throw new Error("broken")')],
    ['never answers', () => workerOf(SILENT)],
    ['hangs in its first call', () => workerOf(HANGING)],
  ])(
    'rejects its calls with engine-lost when each one %s',
    async (_, broken) => {
      const { factory, workers } = inTurn(broken)
      const tamp = createTamp({ engine: remoteEngine({ worker: factory, deadlines }) })
      const lost: unknown[] = []
      tamp.on('engine:lost', (event) => lost.push(event))
      const fitting = tamp.fit(chat(1), { limitTokens: 900 })
      await expect(fitting).rejects.toMatchObject({
        code: 'engine-lost',
        details: { reason: expect.any(String) },
      })
      expect(lost.length).toBeGreaterThan(0)
      expect(workers.length).toBeGreaterThanOrEqual(2)
      await tamp.close()
    },
    20_000,
  )

  it('that was handed in is not made again', async () => {
    const worker = makeWorker()
    const tamp = createTamp({ worker })
    await tamp.ready
    worker.terminate()
    await expect(tamp.fit(chat(), { limitTokens: 900 })).rejects.toMatchObject({
      code: 'engine-lost',
    })
    await tamp.close()
  })

  it('that was handed in long after it started is used', async () => {
    const worker = makeWorker()
    await new Promise((resolve) => {
      worker.onmessage = ({ data }) => data?.tamp?.alive && resolve(undefined)
    })
    const tamp = createTamp({ worker })
    expect(await tamp.ready).toEqual({ worker: true })
    await tamp.close()
  })
})
