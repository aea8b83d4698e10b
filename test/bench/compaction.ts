import type { Tamp } from '../../src/index.ts'
import { benchRequest } from './conversation.ts'
import type { BenchDevice } from './conversations.ts'
import { type Figure, median } from './figure.ts'
import type { Watch } from './watch.ts'

const TOKENS = 1_000_000
const ROUNDS = 3
const TURNS_BEFORE = 5

/** Windows by the name of a model: the conversation is stored under the one, and must be compacted under the other. */
const windows = { 'gpt-4o': 8_000_000, 'gpt-4o-tight': 550_000 }

/** What a compaction of a stored conversation of 1M tokens takes without a model, and what others notice of it. */
export async function compactionFigures(
  device: BenchDevice,
  watch: Watch,
  throttled: string,
): Promise<Figure[]> {
  const runs: Run[] = []
  for (let round = 0; round < ROUNDS; round++)
    runs.push(await runOnce(device, watch, round, throttled))
  const of = (what: keyof Run) => median(runs.map((run) => run[what]))
  const name = `${device.place}, compaction of 1M${throttled}`
  return [
    { name: `${name}: worker time`, value: of('workerMs'), unit: 'ms' },
    { name: `${name}: longest page task`, value: of('longestTaskMs'), unit: 'ms' },
    {
      name: `${name}: slowest answer of measure meanwhile`,
      value: of('slowestAnswerMs'),
      unit: 'ms',
    },
    { name: `${name}: answers of measure meanwhile`, value: of('answers'), unit: 'answers' },
  ]
}

interface Run {
  readonly workerMs: number
  readonly longestTaskMs: number
  readonly slowestAnswerMs: number
  readonly answers: number
}

async function runOnce(
  device: BenchDevice,
  watch: Watch,
  round: number,
  throttled: string,
): Promise<Run> {
  const tamp = await device.openTab({ window: windows, reserveTokens: 0 })
  try {
    const { messages } = benchRequest(TOKENS, TOKENS + round)
    const conversation = tamp.conversation(`compaction${throttled} ${round}`)
    const { report: synced } = await conversation.prepare({ model: 'gpt-4o', messages })
    if (synced.outcome !== 'unchanged') throw new Error(`outcome ${synced.outcome}`)
    // As in an app: a compaction never comes right behind the first sync of what is compacted.
    for (let turn = 0; turn < TURNS_BEFORE; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      await conversation.prepare({ model: 'gpt-4o', messages })
    }
    const compact = async () => {
      const { report } = await conversation.prepare({ model: 'gpt-4o-tight', messages })
      if (report.outcome !== 'compacted') throw new Error(`outcome ${report.outcome}`)
      return report.milliseconds
    }
    const watching = watch()
    const workerMs = await compact()
    const longestTaskMs = watching.stop()
    await conversation.undo()
    // Undone, it is due again, and must be: the second time others ask for something meanwhile.
    const answers = await measureUntil(tamp, compact())
    const slowestAnswerMs = Math.max(...answers)
    return {
      workerMs,
      longestTaskMs,
      slowestAnswerMs,
      answers: answers.length,
    }
  } finally {
    await tamp.close()
  }
}

/** Asks for a small measurement again and again until the promise settles; gives back how long each answer took. */
async function measureUntil(tamp: Tamp, promise: Promise<unknown>): Promise<readonly number[]> {
  let settled = false
  const settle = () => {
    settled = true
  }
  promise.then(settle, settle)
  const answers: number[] = []
  while (!settled) {
    const start = performance.now()
    await tamp.measure({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'How much is it?' }],
    })
    answers.push(performance.now() - start)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return answers
}
