import { shapeOf } from './adapters/shapes/index.ts'
import { PageConversation } from './conversation/conversation.ts'
import { converse, type Resume } from './conversation/converse.ts'
import { noSummarizer } from './conversation/fault.ts'
import type { Conversation } from './conversation/surface.ts'
import { Tabs } from './conversation/tabs.ts'
import type { Format } from './core/model.ts'
import type { CompactionReport } from './core/report.ts'
import type { ModelReply, ModelRequest } from './core/summary.ts'
import type { ConversationSummary, StoreChoice } from './engine/conversation-jobs.ts'
import type { Engine, EngineCapabilities, FitAnswer, FitJob, Measurement } from './engine/engine.ts'
import { EventHub, type TampEvents } from './engine/events.ts'
import { remoteEngine } from './engine/remote.ts'
import { uniqueId } from './engine/unique-id.ts'
import { checkOptions, checkPositive, engineOptions, type TampOptions } from './options.ts'
import { fieldsOf, sentRequest, takeRequest } from './request.ts'
import { askSummarizer } from './summarizer.ts'

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

/** Where conversations are kept unless the app says otherwise. */
const DEFAULT_STORE = { name: 'tamp' }

/** Gives back Tamp for one page. The worker starts at once. Throws TypeError or RangeError for a wrong option. */
export function createTamp(options: TampOptions = {}): Tamp {
  checkOptions(options)
  const { worker, workerUrl, engine = remoteEngine({ worker, workerUrl }) } = options
  const events = new EventHub<TampEvents>()
  engine.onEvent((event) => events.emit(event.type, event))
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
      checkPositive('limitTokens', limitTokens)
      const shape = shapeOf(request, format)
      const job = { format: shape.format, request: fieldsOf(shape, request), limitTokens }
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

/** The conversations that the page has in its hands. */
class Chats {
  readonly store: StoreChoice
  readonly #known = new Map<string, PageConversation>()
  readonly #conductor: Conductor
  #tabs: Tabs | undefined

  constructor(conductor: Conductor) {
    this.#conductor = conductor
    this.store = conductor.options.store ?? DEFAULT_STORE
  }

  readonly conversation = (id: string): Conversation => {
    if (typeof id !== 'string' || id === '') throw new TypeError('a conversation needs a name')
    const known = this.#known.get(id) ?? this.#open(id)
    this.#known.set(id, known)
    return known
  }

  #open(id: string): PageConversation {
    const { engine, options } = this.#conductor
    return new PageConversation(id, {
      engine,
      store: this.store,
      options: engineOptions(options),
      serve: (ask, signal) => serve(this.#conductor, ask, signal),
      tabs: this.#tabsOfStore(),
      gone: (conversation) => {
        if (this.#known.get(id) === conversation) this.#known.delete(id)
      },
    })
  }

  #tabsOfStore(): Tabs {
    const name = this.store === 'memory' ? `memory:${uniqueId()}` : this.store.name
    this.#tabs ??= new Tabs(name, ({ conversation, revision }) =>
      this.#known.get(conversation)?.hear(revision),
    )
    return this.#tabs
  }

  close(): void {
    this.#tabs?.close()
    this.#known.clear()
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
  checkPositive('limitTokens', limitTokens ?? Number.NaN) // an app without types may leave it out
  const taken = takeRequest(request, shapeOf(request, format))
  const { shape, stood } = taken
  const fields = fieldsOf(shape, stood)
  const job: FitJob = {
    jobId: uniqueId(),
    format: shape.format,
    request: fields,
    limitTokens,
    options: engineOptions(conductor.options),
    resume: undefined,
  }
  const { messages: assembly, report } = await fitJob(conductor, job, signal)
  const copies = fields[shape.listField] as readonly unknown[] // copied from a list
  return { request: sentRequest(taken, { copies, leading: 0, assembly }), report }
}

async function fitJob(
  conductor: Conductor,
  job: FitJob,
  signal: AbortSignal | undefined,
): Promise<Extract<FitAnswer, { type: 'done' }>> {
  const { engine, events } = conductor
  const { jobId } = job
  let asked = false
  const answer = await converse<FitAnswer>({
    send: (resume) => engine.call('fit', { ...job, resume }, signal),
    goOn: (resume: Resume) => engine.call('fit', { ...job, request: undefined, resume }, signal),
    serve: (ask) => {
      if (!asked) events.emit('compaction:start', { jobId })
      asked = true
      return serve(conductor, ask, signal)
    },
  })
  const { report } = answer
  if (report.outcome === 'compacted') events.emit('compaction:end', report)
  if (report.outcome === 'failed') events.emit('compaction:failed', report)
  return answer
}

/** Makes one call to the app's model. */
async function serve(
  { options }: Conductor,
  ask: ModelRequest,
  signal: AbortSignal | undefined,
): Promise<ModelReply> {
  const { summarizer, summarizerTimeoutMs = SUMMARIZER_TIMEOUT_MS } = options
  if (!summarizer) throw noSummarizer()
  return askSummarizer(summarizer, ask, summarizerTimeoutMs, signal)
}
