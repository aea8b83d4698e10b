import { adapterFor } from './adapters/index.ts'
import type { Adapter } from './core/adapter.ts'
import { TampError } from './core/errors.ts'
import type { Format } from './core/model.ts'
import { plainCopy } from './core/plain.ts'
import type { CompactionReport } from './core/report.ts'
import { defaultRefusalPrefixes, defaultTools, type ToolTable } from './core/tools.ts'
import type {
  Assembly,
  Engine,
  EngineCapabilities,
  EngineEvent,
  EngineOptions,
  FitAnswer,
  FitJob,
  Measurement,
} from './engine/engine.ts'
import { EventHub, type TampEvents } from './engine/events.ts'
import { remoteEngine } from './engine/remote.ts'
import type { PassOptions } from './passes/index.ts'
import { askSummarizer, type Summarizer } from './summarize/function.ts'

/** What an app may set. Of a union the first value is the default. */
export interface TampOptions {
  /** Writes summaries. Without one, Tamp's own summarizer, which needs no model, does. */
  readonly summarizer?: Summarizer
  /** What happens when a summary failed and the request does not fit without one. */
  readonly fallback?: 'extractive' | 'none'
  /** Options by pass; `false` switches one off. */
  readonly passes?: PassOptions
  /** What the app's tools do, by name; wins over the defaults for common names. */
  readonly tools?: ToolTable
  /** A result that begins with one of these is a refusal and is never shortened or summarized away. */
  readonly refusalPrefixes?: readonly string[]
  /** The tail that old results are told from; default: a quarter of the allowance, at most 20,000 tokens. */
  readonly keepRecentTokens?: number
  /** Default 60,000. */
  readonly summarizerTimeoutMs?: number
  /** A worker of the app's own, or what makes one. Only what a factory makes can be restarted. */
  readonly worker?: Worker | (() => Worker)
  /** Where the worker file lies, if not beside the library. */
  readonly workerUrl?: string | URL
  /** An engine to use instead of a worker: `localEngine()` of `tamp/local`. */
  readonly engine?: Engine
}

/** What fitting gives back. */
export interface Fitted<R> {
  /** The very same object where nothing had to be done. */
  readonly request: R
  readonly report: CompactionReport
}

/** What {@link Tamp.fit} needs to know. */
export interface FitOptions {
  /** The whole request, system text and tools included, must be at or below this, the reply's room already taken off. */
  readonly limitTokens: number
  /** Named where the shape of the request does not tell. */
  readonly format?: Format
  /** Ends the fitting with its reason; nothing is changed then. */
  readonly signal?: AbortSignal
}

/** Keeps requests within a model's window. */
export interface Tamp {
  /**
   * Gives back a request that is legal for its provider and has at most `limitTokens`, from the app's full
   * history. Nothing is stored. Where a summary failed and `fallback` is `none`, the request as it was, the
   * report saying why.
   *
   * Rejects with `cannot-fit`, `invalid-conversation`, `unknown-format`, `engine-lost`, the signal's reason, or an
   * error of the app's own summarizer.
   */
  readonly fit: <R extends object>(request: R, options: FitOptions) => Promise<Fitted<R>>
  /** Gives back what a request takes, by segment. Rejects like {@link Tamp.fit}. */
  readonly measure: (
    request: object,
    options?: {
      readonly limitTokens?: number
      readonly format?: Format
      readonly signal?: AbortSignal
    },
  ) => Promise<Measurement>
  /** What the engine can do, once it has started. Rejects with `engine-lost` where it cannot. */
  readonly ready: Promise<EngineCapabilities>
  /** Listens to an event; the function it gives back stops that. */
  readonly on: EventHub<TampEvents>['on']
  /** Settles every pending call with `engine-lost` and ends the worker. */
  readonly close: () => Promise<void>
}

const SUMMARIZER_TIMEOUT_MS = 60_000

/** Gives back Tamp for one page. The worker starts at once. Throws TypeError or RangeError for a wrong option. */
export function createTamp(options: TampOptions = {}): Tamp {
  checkOptions(options)
  const events = new EventHub<TampEvents>()
  const engine =
    options.engine ?? remoteEngine({ worker: options.worker, workerUrl: options.workerUrl })
  engine.onEvent((event: EngineEvent) => events.emit(event.type, event))
  const ready = engine.ready()
  ready.catch(() => {}) // an app that does not ask learns it from its first call
  const conductor: Conductor = { engine, events, options }
  return {
    fit: (request, fitOptions) => fitRequest(conductor, request, fitOptions),
    measure: async (request, { limitTokens, format, signal } = {}) => {
      signal?.throwIfAborted()
      if (limitTokens !== undefined) checkLimit(limitTokens)
      const adapter = adapterFor(request, format)
      const job = { format: adapter.format, request: fieldsOf(adapter, request), limitTokens }
      return engine.call('measure', job, signal)
    },
    ready,
    on: events.on,
    close: async () => engine.close(),
  }
}

interface Conductor {
  readonly engine: Engine
  readonly events: EventHub<TampEvents>
  readonly options: TampOptions
}

async function fitRequest<R extends object>(
  conductor: Conductor,
  request: R,
  { limitTokens, format, signal }: FitOptions,
): Promise<Fitted<R>> {
  signal?.throwIfAborted()
  checkLimit(limitTokens)
  const adapter = adapterFor(request, format)
  const snapshot = snapshotOf(request)
  const job: FitJob = {
    jobId: crypto.randomUUID(),
    format: adapter.format,
    request: fieldsOf(adapter, request),
    limitTokens,
    options: engineOptions(conductor.options),
    resume: undefined,
  }
  const { messages, report } = await converse(conductor, job, signal)
  if (messages === undefined) return { request, report }
  return { request: assemble(snapshot, adapter.listField, messages), report }
}

/** Gives back the request with the list that the engine made of its own. */
function assemble<R extends object>(request: R, listField: string, assembly: Assembly): R {
  const came = (request as Record<string, unknown>)[listField] as readonly unknown[] // it was read as a list
  const list = assembly.map((item) => (typeof item === 'number' ? came[item] : item))
  return { ...request, [listField]: list }
}

/** The longest time that a timer takes. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** Wrong options are told at once, not by the first compaction that reaches them. */
function checkOptions({ summarizer, summarizerTimeoutMs: timeout, ...options }: TampOptions): void {
  if (summarizer !== undefined && typeof summarizer !== 'function') {
    throw new TypeError('summarizer is not a function')
  }
  if (timeout !== undefined && !(timeout > 0 && timeout <= MAX_TIMEOUT_MS)) {
    throw new RangeError(`summarizerTimeoutMs is ${timeout}; 1 to ${MAX_TIMEOUT_MS} is allowed`)
  }
  const prefixes = options.refusalPrefixes ?? []
  if (!Array.isArray(prefixes) || prefixes.some((prefix) => typeof prefix !== 'string')) {
    throw new TypeError('refusalPrefixes is not a list of texts')
  }
  for (const [tool, semantics] of Object.entries(options.tools ?? {})) {
    for (const pattern of semantics.isError ?? []) checkPattern(tool, pattern)
  }
}

function checkPattern(tool: string, pattern: string): void {
  try {
    new RegExp(pattern, 'u')
  } catch (error) {
    throw new TypeError(`tools.${tool}.isError holds no pattern: ${pattern}`, { cause: error })
  }
}

function checkLimit(limitTokens: number): void {
  if (!Number.isFinite(limitTokens) || limitTokens <= 0) {
    throw new RangeError(`limitTokens is ${String(limitTokens)}; a positive number is needed`)
  }
}

/** The request with a list of messages of its own: the app may go on appending while it is fitted. */
function snapshotOf<R extends object>(request: R): R {
  const { messages } = request as { messages?: unknown }
  return Array.isArray(messages) ? { ...request, messages: Array.from(messages, asSent) } : request
}

/** A message that has a JSON form of its own is sent as that. */
function asSent(message: unknown): unknown {
  const hasForm = typeof message === 'object' && message !== null && 'toJSON' in message
  return hasForm && typeof message.toJSON === 'function' ? message.toJSON() : message
}

function fieldsOf(adapter: Adapter, request: object): Readonly<Record<string, unknown>> {
  const fields = request as Readonly<Record<string, unknown>> // any object may be looked into
  const present = adapter.fields.filter((name) => fields[name] !== undefined)
  return Object.fromEntries(present.map((name) => [name, plainCopy(fields[name], name)]))
}

function engineOptions(options: TampOptions): EngineOptions {
  return {
    passes: { ...options.passes },
    tools: { ...defaultTools, ...options.tools },
    refusalPrefixes: options.refusalPrefixes ?? defaultRefusalPrefixes,
    keepRecentTokens: options.keepRecentTokens,
    hasSummarizer: options.summarizer !== undefined,
    fallback: options.fallback ?? 'extractive',
  }
}

type Done = Extract<FitAnswer, { type: 'done' }>

/** The one loop that serves what a compaction asks for, so that keys and aborts stay on this side (DESIGN 1.4). */
async function converse(
  conductor: Conductor,
  job: FitJob,
  signal: AbortSignal | undefined,
): Promise<Done> {
  const { engine, events } = conductor
  let answer = await engine.call('fit', job, signal)
  if (answer.type === 'ask') events.emit('compaction:start', { jobId: job.jobId })
  while (answer.type === 'ask') {
    const reply = await serve(conductor, answer, signal)
    const resume = { state: answer.state, reply }
    answer = await engine.call('fit', { ...job, request: undefined, resume }, signal)
    if (answer.type === 'unknown-job') answer = await engine.call('fit', { ...job, resume }, signal)
  }
  if (answer.type === 'unknown-job') {
    throw new TampError('engine-lost', 'the engine forgot a job that it was just given', {
      reason: 'job',
    })
  }
  announce(events, answer.report)
  return answer
}

function serve(
  { options }: Conductor,
  { ask }: Extract<FitAnswer, { type: 'ask' }>,
  signal: AbortSignal | undefined,
) {
  const { summarizer, summarizerTimeoutMs = SUMMARIZER_TIMEOUT_MS } = options
  if (!summarizer) throw new TampError('summarizer-unavailable', 'no summarizer is configured')
  return askSummarizer(summarizer, ask, summarizerTimeoutMs, signal)
}

function announce(events: EventHub<TampEvents>, report: CompactionReport): void {
  if (report.outcome === 'compacted') events.emit('compaction:end', report)
  if (report.outcome === 'failed') events.emit('compaction:failed', report)
}
