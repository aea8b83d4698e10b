import { type ChildProcess, fork } from 'node:child_process'
import { corpusNames } from '../support/corpora.ts'
import type { CountingAnswer, CountingTask, LibraryName } from './counting-child.ts'
import { type Figure, median } from './figure.ts'
import { longRuns } from './long-runs.ts'

const rivals = ['gpt-tokenizer', 'tiktoken', 'ai-tokenizer', 'js-tiktoken'] as const

const ROUNDS = 5
const CORPUS_UNITS = 1 << 19
/** One that takes minutes for the whole corpus counts its beginning, in one round. */
const SLOW: LibraryName = 'js-tiktoken'
const SLOW_UNITS = 1 << 14

const RUN_UNITS = [100_000, 1_000_000] as const

/** What one library took for the corpora, in milliseconds for 2^19 units, by round. */
interface Times {
  readonly cold: number[]
  readonly warm: number[]
}

/**
 * Figures of counting o200k_base in Node, each library in a process of its own. All count the same text in each round,
 * in an order that rotates, and ratios are those of a round: how often as long as Tamp one took.
 *
 * `child` is the path of the built `counting-child.ts`.
 */
export async function countingFigures(child: string): Promise<Figure[]> {
  const names = ['Tamp', ...rivals] as const
  const libraries = new Map(names.map((name) => [name, new Library(child, name)]))
  try {
    return [
      ...(await corpusFigures(libraries)),
      ...(await runFigures(libraries)),
      ...(await memoryFigures(libraries)),
    ]
  } finally {
    for (const library of libraries.values()) library.end()
  }
}

class Library {
  private readonly process: ChildProcess

  constructor(child: string, name: LibraryName) {
    this.process = fork(child, [name], { execArgv: ['--expose-gc'] })
  }

  ask(task: CountingTask): Promise<CountingAnswer> {
    return new Promise((resolve, reject) => {
      const ended = (code: number | null) =>
        reject(new Error(`a counting process ended with ${code}`))
      this.process.once('exit', ended)
      this.process.once('message', (answer) => {
        this.process.off('exit', ended)
        resolve(answer as CountingAnswer) // the child sends nothing else
      })
      this.process.send(task)
    })
  }

  end(): void {
    this.process.kill()
  }
}

type Libraries = ReadonlyMap<LibraryName, Library>

async function corpusFigures(libraries: Libraries): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const corpus of corpusNames) {
    const times = new Map<LibraryName, Times>()
    let tokens = 0
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of rotated([...libraries.keys()], round)) {
        if (name === SLOW && round > 0) continue
        const units = name === SLOW ? SLOW_UNITS : CORPUS_UNITS
        const answer = await libraries.get(name)?.ask({ type: 'corpus', corpus, units })
        if (!answer) throw new Error(`there is no ${name}`)
        const { cold, warm } = times.get(name) ?? { cold: [], warm: [] }
        cold.push((answer.coldMs * CORPUS_UNITS) / units)
        warm.push((answer.warmMs * CORPUS_UNITS) / units)
        times.set(name, { cold, warm })
        if (name === 'Tamp') tokens = answer.tokens
      }
    }
    figures.push(...figuresOf(corpus, tokens, times))
  }
  return figures
}

function rotated<T>(items: readonly T[], by: number): T[] {
  const from = by % items.length
  return [...items.slice(from), ...items.slice(0, from)]
}

function figuresOf(
  corpus: string,
  tokens: number,
  times: ReadonlyMap<LibraryName, Times>,
): Figure[] {
  const own = times.get('Tamp')
  if (!own) throw new Error('Tamp counted nothing')
  return (['cold', 'warm'] as const).flatMap((state): Figure[] => [
    {
      name: `counting, ${corpus}, ${state}: Tamp`,
      value: (tokens / median(own[state])) * 1000,
      unit: 'tokens/s',
    },
    ...rivals.map((rival): Figure => {
      const ratios = times.get(rival)?.[state].map((ms, round) => ms / (own[state][round] ?? 0))
      const name = `counting, ${corpus}, ${state}: ${rival} / Tamp`
      return { name, value: median(ratios ?? []), unit: 'ratio' }
    }),
  ])
}

/** How long Tamp takes for a million characters without a break, and the exponent of growth from a tenth of it. */
async function runFigures(libraries: Libraries): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const run of Object.keys(longRuns)) {
    const times: number[][] = []
    for (const units of RUN_UNITS) {
      const rounds: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const answer = await libraries.get('Tamp')?.ask({ type: 'run', run, units })
        rounds.push(answer?.coldMs ?? Number.NaN)
      }
      times.push(rounds)
    }
    const [short = Number.NaN, long = Number.NaN] = times.map(median)
    figures.push(
      { name: `counting, 1M units of ${run}: Tamp`, value: long, unit: 'ms' },
      {
        name: `counting, ${run}, exponent of growth: Tamp`,
        value: Math.log(long / short) / Math.log(RUN_UNITS[1] / RUN_UNITS[0]),
        unit: 'ratio',
      },
    )
  }
  return figures
}

async function memoryFigures(libraries: Libraries): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [name, library] of libraries) {
    const { megabytes } = await library.ask({ type: 'memory' })
    figures.push({ name: `counting, memory of ${name}`, value: megabytes, unit: 'MB' })
  }
  return figures
}
