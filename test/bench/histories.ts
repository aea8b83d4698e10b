import { benchMessages } from './conversation.ts'
import type { BenchDevice } from './conversations.ts'
import { type Figure, median } from './figure.ts'
import type { Watch } from './watch.ts'

/** Large histories, as an app has them after a reload: parsed from JSON. */
const histories = [
  { label: '5,000 messages, 4 MB', count: 5000, characters: 800 },
  { label: '9,000 messages, 4 MB', count: 9000, characters: 445 },
] as const

const RUNS = 5
const LATER_PREPARES = 9

/** How long the page's own thread is held up by histories of this size, with the engine in a worker. */
export async function historyFigures(device: BenchDevice, watch: Watch): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const { label, count, characters } of histories) {
    const runs: Run[] = []
    for (let run = 0; run < RUNS; run += 1) {
      runs.push(await runOnce(device, watch, `${label} ${run}`, historyOf(count, characters, run)))
    }
    figures.push(...figuresOf(`${device.place}, history of ${label}`, runs))
  }
  return figures
}

interface Run {
  readonly cloneMs: number
  readonly firstMs: number
  readonly laterMs: number
}

async function runOnce(
  device: BenchDevice,
  watch: Watch,
  name: string,
  messages: readonly object[],
): Promise<Run> {
  const start = performance.now()
  const cloned = structuredClone(messages)
  const cloneMs = performance.now() - start
  if (cloned.length !== messages.length) throw new Error('messages are missing')
  const tamp = await device.openTab({ window: 16_000_000, reserveTokens: 0 })
  try {
    await tamp.measure({ model: 'gpt-4o', messages: [] })
    const conversation = tamp.conversation(name)
    const prepare = async (list: readonly object[]) => {
      const watching = watch()
      const { report } = await conversation.prepare({ model: 'gpt-4o', messages: list })
      const longest = watching.stop()
      if (report.outcome !== 'unchanged') throw new Error(`outcome ${report.outcome}`)
      return longest
    }
    const firstMs = await prepare(messages)
    const later: number[] = []
    let list = messages
    for (let round = 0; round < LATER_PREPARES; round += 1) {
      // The answer to the last one and the next one are tasks of their own, as in an app.
      await new Promise((resolve) => setTimeout(resolve, 5))
      list = [...list, { role: 'user', content: `And what of point ${round}?` }]
      later.push(await prepare(list))
    }
    return { cloneMs, firstMs, laterMs: median(later) }
  } finally {
    await tamp.close()
  }
}

function historyOf(count: number, characters: number, seed: number): readonly object[] {
  const long = benchMessages(count, seed).map((message) => {
    const text = `${message.content} `
    return { ...message, content: text.repeat(Math.ceil(characters / text.length)) }
  })
  return JSON.parse(JSON.stringify(long))
}

function figuresOf(name: string, runs: readonly Run[]): Figure[] {
  const clone = median(runs.map(({ cloneMs }) => cloneMs))
  const first = median(runs.map(({ firstMs }) => firstMs))
  const later = median(runs.map(({ laterMs }) => laterMs))
  return [
    { name: `${name}: structured clone in one task (baseline)`, value: clone, unit: 'ms' },
    { name: `${name}: first prepare, longest page task`, value: first, unit: 'ms' },
    {
      name: `${name}: first prepare, longest page task / clone`,
      value: first / clone,
      unit: 'ratio',
    },
    { name: `${name}: later prepare, longest page task`, value: later, unit: 'ms' },
    {
      name: `${name}: later prepare, longest page task / clone`,
      value: later / clone,
      unit: 'ratio',
    },
  ]
}
