import { adapterFor } from './adapters/index.ts'
import { PageConversation } from './conversation/conversation.ts'
import type { Conversation } from './conversation/surface.ts'
import { Tabs } from './conversation/tabs.ts'
import { TampError } from './core/errors.ts'
import type { Format } from './core/model.ts'
import type { CompactionReport } from './core/report.ts'
import type { ModelReply, ModelRequest } from './core/summary.ts'
import type { ConversationSummary, StoreChoice } from './engine/conversation-jobs.ts'
import type {
  Engine,
  EngineCapabilities,
  EngineEvent,
  FitAnswer,
  FitJob,
  Measurement,
} from './engine/engine.ts'
import { EventHub, type TampEvents } from './engine/events.ts'
import { remoteEngine } from './engine/remote.ts'
import { uniqueId } from './engine/unique-id.ts'
import { checkOptions, checkPositive, engineOptions, type TampOptions } from './options.ts'
import { fieldsOf, sentRequest, snapshotOf } from './request.ts'
import { askSummarizer } from './summarize/function.ts'

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
   * Rejects with `cannot-fit`, `invalid-conversation`, `unknown-format`, `engine-lost`, `ranks-unavailable`, the
   * signal's reason, or an error of the app's own summarizer.
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
  /**
   * The conversation of this name, kept whole on the device. There at once; the same object for the same name. Throws
   * TypeError for a name that is no text or is empty.
   */
  readonly conversation: (id: string) => Conversation
  /** All conversations that are kept, the newest first. */
  readonly conversations: () => Promise<readonly ConversationSummary[]>
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
  const engine = options.engine ?? remoteEngine(options)
  engine.onEvent((event: EngineEvent) => events.emit(event.type, event))
  const ready = engine.ready()
  ready.catch(() => {}) // an app that does not ask learns it from its first call
  const conductor: Conductor = { engine, events, options }
  const chats = new Chats(conductor)
  return {
    conversation: chats.conversation,
    conversations: () => engine.call('conversations', { store: chats.store }),
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
    close: async () => {
      chats.close()
      engine.close()
    },
  }
}

/** Where conversations are kept unless the app says otherwise. */
const DEFAULT_STORE = { name: 'tamp' }

/** The conversations that the page has in its hands. */
class Chats {
  readonly store: StoreChoice
  private readonly known = new Map<string, PageConversation>()
  private readonly conductor: Conductor
  private tabs: Tabs | undefined

  constructor(conductor: Conductor) {
    this.conductor = conductor
    this.store = conductor.options.store ?? DEFAULT_STORE
  }

  readonly conversation = (id: string): Conversation => {
    if (typeof id !== 'string' || id === '') throw new TypeError('a conversation needs a name')
    const known = this.known.get(id)
    if (known) return known
    const { engine, options } = this.conductor
    const made = new PageConversation(id, {
      engine,
      store: this.store,
      options: engineOptions(options),
      serve: (ask, signal) => serve(this.conductor, ask, signal),
      tabs: this.tabsOfStore(),
      gone: (conversation) => {
        if (this.known.get(id) === conversation) this.known.delete(id)
      },
    })
    this.known.set(id, made)
    return made
  }

  private tabsOfStore(): Tabs {
    const name = this.store === 'memory' ? `memory:${uniqueId()}` : this.store.name
    this.tabs ??= new Tabs(name, ({ conversation, revision }) =>
      this.known.get(conversation)?.hear(revision),
    )
    return this.tabs
  }

  close(): void {
    this.tabs?.close()
    this.known.clear()
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
  const snapshot = snapshotOf(request, adapter)
  const job: FitJob = {
    jobId: uniqueId(),
    format: adapter.format,
    request: fieldsOf(adapter, snapshot.request),
    limitTokens,
    options: engineOptions(conductor.options),
    resume: undefined,
  }
  const { messages: assembly, report } = await converse(conductor, job, signal)
  const copies = job.request?.[adapter.listField] as readonly unknown[] // copied from the list above
  return { request: sentRequest(request, snapshot, { copies, leading: 0, assembly }), report }
}

function checkLimit(limitTokens: number): void {
  checkPositive('limitTokens', limitTokens)
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
    const reply = await serve(conductor, answer.ask, signal)
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
  ask: ModelRequest,
  signal: AbortSignal | undefined,
): Promise<ModelReply> {
  const { summarizer, summarizerTimeoutMs = SUMMARIZER_TIMEOUT_MS } = options
  if (!summarizer) throw new TampError('summarizer-unavailable', 'no summarizer is configured')
  return askSummarizer(summarizer, ask, summarizerTimeoutMs, signal)
}

function announce(events: EventHub<TampEvents>, report: CompactionReport): void {
  if (report.outcome === 'compacted') events.emit('compaction:end', report)
  if (report.outcome === 'failed') events.emit('compaction:failed', report)
}
