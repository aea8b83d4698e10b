import { shapeOf } from './adapters/shapes/index.ts'
import { type ConversationHost, PageConversation } from './conversation/conversation.ts'
import { converse, eventOf, type Resume } from './conversation/converse.ts'
import { noSummarizer } from './conversation/fault.ts'
import type { Conversation } from './conversation/surface.ts'
import { Tabs } from './conversation/tabs.ts'
import { leavesOf } from './core/leaves.ts'
import type { Format } from './core/model.ts'
import type { CompactionReport } from './core/report.ts'
import type { ModelRequest } from './core/summary.ts'
import type { ConversationSummary, StoreChoice } from './engine/conversation-jobs.ts'
import type { Engine, EngineCapabilities, FitJob, Measurement } from './engine/engine.ts'
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

/** Where conversations are kept unless the app says otherwise. */
const DEFAULT_STORE = { name: 'tamp' }

/** Gives back Tamp for one page. The worker starts at once. Throws TypeError or RangeError for a wrong option. */
export function createTamp(options: TampOptions = {}): Tamp {
  checkOptions(options)
  return new Page(options)
}

/** One page: its engine, and the conversations that it has in its hands. */
class Page implements Tamp {
  readonly ready: Tamp['ready']
  readonly #options: TampOptions
  readonly #engine: Engine
  readonly #events = new EventHub<TampEvents>()
  readonly #store: StoreChoice
  readonly #known = new Map<string, PageConversation>()
  #tabs: Tabs | undefined

  constructor(options: TampOptions) {
    const { engine = remoteEngine(options) } = options
    this.#options = options
    this.#engine = engine
    this.#store = options.store ?? DEFAULT_STORE
    engine.onEvent((event) => this.#events.emit(event.type, event))
    this.ready = engine.ready()
    this.ready.catch(() => {}) // an app that does not ask learns it from its first call
  }

  readonly on: Tamp['on'] = this.#events.on

  readonly conversation: Tamp['conversation'] = (id) => {
    if (typeof id !== 'string' || id === '') throw new TypeError('a conversation needs a name')
    const known = this.#known.get(id) ?? this.#open(id)
    this.#known.set(id, known)
    return known
  }

  #open(id: string): PageConversation {
    const store = this.#store
    const name = store === 'memory' ? `memory:${uniqueId()}` : store.name
    this.#tabs ??= new Tabs(name, ({ conversation, revision }) =>
      this.#known.get(conversation)?.hear(revision),
    )
    return new PageConversation(id, {
      engine: this.#engine,
      store,
      options: engineOptions(this.#options),
      serve: this.#serve,
      tabs: this.#tabs,
      gone: (conversation) => {
        if (this.#known.get(id) === conversation) this.#known.delete(id)
      },
    })
  }

  readonly conversations: Tamp['conversations'] = () =>
    this.#engine.call('conversations', { store: this.#store })

  readonly fit: Tamp['fit'] = async (request, { limitTokens, format: named, signal }) => {
    signal?.throwIfAborted()
    checkPositive('limitTokens', limitTokens ?? Number.NaN) // an app without types may leave it out
    const taken = takeRequest(request, shapeOf(request, named))
    const { shape, stood } = taken
    const { format, listField } = shape
    const fields = fieldsOf(shape, stood)
    const options = engineOptions(this.#options)
    const job = { jobId: uniqueId(), format, request: fields, limitTokens, options }
    const { messages: assembly, report } = await this.#carryOn(job, signal)
    const event = eventOf(report)
    if (event && event !== 'compaction:skipped') this.#events.emit(event, report)
    const copies = fields[listField] as readonly unknown[] // copied from a list
    return {
      request: sentRequest(taken, { copies, leaves: copies.map(leavesOf), leading: 0, assembly }),
      report,
    }
  }

  #carryOn(job: FitJob, signal: AbortSignal | undefined) {
    const { jobId } = job
    const send = (resume?: Resume) => this.#engine.call('fit', { ...job, resume }, signal)
    const goOn = (resume: Resume) =>
      this.#engine.call('fit', { ...job, request: undefined, resume }, signal)
    const begin = () => this.#events.emit('compaction:start', { jobId })
    const serve = (ask: ModelRequest) => this.#serve(ask, signal)
    return converse({ send, goOn, begin, serve })
  }

  /** Makes one call to the app's model. */
  readonly #serve: ConversationHost['serve'] = async (ask, signal) => {
    const { summarizer, summarizerTimeoutMs = SUMMARIZER_TIMEOUT_MS } = this.#options
    if (!summarizer) throw noSummarizer()
    return askSummarizer(summarizer, ask, summarizerTimeoutMs, signal)
  }

  readonly measure: Tamp['measure'] = async (request, { limitTokens, format, signal } = {}) => {
    signal?.throwIfAborted()
    checkPositive('limitTokens', limitTokens)
    const shape = shapeOf(request, format)
    const job = { format: shape.format, request: fieldsOf(shape, request), limitTokens }
    return this.#engine.call('measure', job, signal)
  }

  readonly close: Tamp['close'] = async () => {
    this.#tabs?.close()
    this.#known.clear()
    this.#engine.close()
  }
}
