import type { Tamp, TampOptions } from '../../src/index.ts'
import { type BenchRequest, benchMessages, benchRequest } from './conversation.ts'
import { type Figure, median, sizes, timed } from './figure.ts'
import type { Watch } from './watch.ts'

/** Where conversations are measured. */
export interface BenchDevice {
  readonly place: string
  /** Opens another tab over the same store, as a reload does; resolves when its engine answers. */
  readonly openTab: (options: TampOptions) => Promise<Tamp>
  /** Reads the rows of a conversation and nothing else; absent where there are no rows. Milliseconds. */
  readonly readRows?: (conversation: string) => Promise<number>
  /** What watches the page's thread; absent where the engine works in that thread. */
  readonly watch?: Watch
}

/** A window in which nothing is ever due. */
const ROOMY: TampOptions = { window: 8_000_000, reserveTokens: 0 }

/** A window that a conversation of the given size is above, and after one compaction far below. */
const TIGHT_SHARE = 0.55

const PREPARE_ROUNDS = 7
const APPEND_ROUNDS = 25
const FIT_ROUNDS = 3
const RELOAD_ROUNDS = 5

/** Measures conversations that are stored: their growth, their return after a reload, and what appending takes. */
export async function conversationFigures(device: BenchDevice): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const size of sizes) figures.push(...(await figuresOfSize(device, size)))
  return [...figures, ...(await appendFigures(device))]
}

async function figuresOfSize(
  device: BenchDevice,
  { label, tokens }: { readonly label: string; readonly tokens: number },
): Promise<Figure[]> {
  const name = `bench ${label}`
  const grown = await inTab(device, (tamp) =>
    grow(tamp, name, benchRequest(tokens, tokens), device),
  )
  const { request } = grown
  const openMs = await inTab(device, async (tamp) => {
    const { result, ms } = await timed(() => tamp.conversation(name).transcript())
    if (result.length !== request.messages.length - 1) throw new Error('messages are missing')
    return ms
  })
  const reload = await reloadTimes(device, name, request)
  const tight = { ...ROOMY, window: Math.round(tokens * TIGHT_SHARE) }
  const compactedMs = await inTab(device, (tamp) => growCompacted(tamp, name, request), tight)
  const times = { ...grown, openMs, ...reload, compactedMs }
  return figuresOf(`${device.place}, conversation ${label}`, times, device.watch !== undefined)
}

interface ReloadTimes {
  /** From a tab that was just opened to its first prepared request. */
  readonly resumeMs: number
  /** The rows of the conversation alone; `undefined` where there are none. */
  readonly rowsMs: number | undefined
}

/** In turns, so that what else goes on in the machine meets both. */
async function reloadTimes(
  device: BenchDevice,
  name: string,
  request: BenchRequest,
): Promise<ReloadTimes> {
  const resumes: number[] = []
  const rows: number[] = []
  for (let round = 0; round < RELOAD_ROUNDS; round += 1) {
    if (device.readRows) rows.push(await device.readRows(name))
    const { ms } = await inTab(device, (tamp) => timed(() => prepareUnchanged(tamp, name, request)))
    resumes.push(ms)
  }
  return { resumeMs: median(resumes), rowsMs: rows.length > 0 ? median(rows) : undefined }
}

interface Growth {
  readonly request: BenchRequest
  readonly syncMs: number
  readonly longestSyncTaskMs: number
  readonly prepareMs: number
  readonly longestPrepareTaskMs: number
  readonly fitMs: number
}

/**
 * Stores a history, then adds one message at a time. For comparison the same request is fitted whole; the tokenizer
 * has seen its texts by then, so that the baseline is at its best.
 */
async function grow(
  tamp: Tamp,
  name: string,
  start: BenchRequest,
  { watch }: BenchDevice,
): Promise<Growth> {
  await tamp.measure(benchRequest(50, 1)) // the tables of the tokenizer are loaded by the first count
  const syncWatch = watch?.()
  const { ms: syncMs } = await timed(() => prepareUnchanged(tamp, name, start))
  const longestSyncTaskMs = syncWatch?.stop() ?? 0
  const prepareWatch = watch?.()
  const { request, prepareMs } = await addOneByOne(tamp, name, start)
  const longestPrepareTaskMs = prepareWatch?.stop() ?? 0
  const fitMs = median(await fitTimes(tamp, request))
  return { request, syncMs, longestSyncTaskMs, prepareMs, longestPrepareTaskMs, fitMs }
}

/** Compacts what is stored, then adds one message at a time to it. */
async function growCompacted(tamp: Tamp, name: string, start: BenchRequest): Promise<number> {
  const { report } = await tamp.conversation(name).prepare(start)
  if (report.outcome !== 'compacted') throw new Error(`outcome ${report.outcome}`)
  return (await addOneByOne(tamp, name, start)).prepareMs
}

async function addOneByOne(
  tamp: Tamp,
  name: string,
  start: BenchRequest,
): Promise<{ readonly request: BenchRequest; readonly prepareMs: number }> {
  let request = start
  const rounds: number[] = []
  for (let round = 0; round < PREPARE_ROUNDS; round += 1) {
    request = { ...request, messages: [...request.messages, question(round)] }
    const { ms } = await timed(() => prepareUnchanged(tamp, name, request))
    rounds.push(ms)
  }
  return { request, prepareMs: median(rounds) }
}

async function fitTimes(tamp: Tamp, request: BenchRequest): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round < FIT_ROUNDS; round += 1) {
    const { result, ms } = await timed(() => tamp.fit(request, { limitTokens: 8_000_000 }))
    if (result.request !== request) throw new Error('something was due')
    times.push(ms)
  }
  return times
}

async function prepareUnchanged(tamp: Tamp, name: string, request: BenchRequest): Promise<void> {
  const { report } = await tamp.conversation(name).prepare(request)
  if (report.outcome !== 'unchanged') throw new Error(`outcome ${report.outcome}: ${report.reason}`)
}

function question(round: number) {
  return { role: 'user', content: `And what of point ${round}, in one sentence?` } as const
}

interface Times extends Omit<Growth, 'request'>, ReloadTimes {
  readonly openMs: number
  readonly compactedMs: number
}

function figuresOf(name: string, times: Times, watched: boolean): Figure[] {
  const { fitMs, prepareMs, syncMs, openMs, resumeMs, rowsMs, compactedMs } = times
  const inMs = (what: string, value: number): Figure => {
    return { name: `${name}: ${what}`, value, unit: 'ms' }
  }
  const compared = (what: string, value: number): readonly Figure[] => [
    inMs(what, value),
    { name: `${name}: ${what} / whole fit`, value: value / fitMs, unit: 'ratio' },
  ]
  return [
    inMs('whole fit, nothing due (baseline)', fitMs),
    ...compared('first sync', syncMs),
    ...(watched ? [inMs('first sync, longest page task', times.longestSyncTaskMs)] : []),
    ...compared('prepare after one more message', prepareMs),
    ...(watched ? [inMs('prepare, longest page task', times.longestPrepareTaskMs)] : []),
    ...compared('prepare after one more message, once compacted', compactedMs),
    ...compared('transcript after a reload', openMs),
    ...compared('prepare after a reload', resumeMs),
    ...(rowsMs === undefined ? [] : againstRows(name, resumeMs, rowsMs)),
  ]
}

function againstRows(name: string, resumeMs: number, rowsMs: number): readonly Figure[] {
  const rows = `${name}: read of its rows`
  return [
    { name: `${rows} (baseline)`, value: rowsMs, unit: 'ms' },
    {
      name: `${name}: prepare after a reload / read of its rows`,
      value: resumeMs / rowsMs,
      unit: 'ratio',
    },
  ]
}

/** From handing in a small reply until it is acknowledged as stored. */
async function appendFigures(device: BenchDevice): Promise<Figure[]> {
  const few = await inTab(device, (tamp) => appendTime(tamp, 10))
  const many = await inTab(device, (tamp) => appendTime(tamp, 5000))
  const name = `${device.place}, settle until stored`
  return [
    { name: `${name}, 10 messages (baseline)`, value: few, unit: 'ms' },
    { name: `${name}, 5,000 messages`, value: many, unit: 'ms' },
    { name: `${name}, 5,000 messages / 10 messages`, value: many / few, unit: 'ratio' },
  ]
}

async function appendTime(tamp: Tamp, count: number): Promise<number> {
  const conversation = tamp.conversation(`bench of ${count} messages`)
  let messages = benchMessages(count, count)
  const times: number[] = []
  for (let round = 0; round < APPEND_ROUNDS; round += 1) {
    messages = [...messages, question(round)]
    const turn = await conversation.prepare({ model: 'gpt-4o', messages })
    const message = { role: 'assistant', content: `Point ${round} is settled.` } as const
    const { ms } = await timed(() => turn.settle({ message }))
    times.push(ms)
    messages = [...messages, message]
  }
  if ((await conversation.transcript()).length !== messages.length)
    throw new Error('not all is stored')
  return median(times)
}

async function inTab<T>(
  device: BenchDevice,
  work: (tamp: Tamp) => Promise<T>,
  options: TampOptions = ROOMY,
): Promise<T> {
  const tamp = await device.openTab(options)
  try {
    return await work(tamp)
  } finally {
    await tamp.close()
  }
}
