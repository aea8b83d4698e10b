import { shapeOf } from '../adapters/shapes/index.ts'
import { hasCode, TampError } from '../core/errors.ts'
import type { Format } from '../core/model.ts'
import { plainCopy } from '../core/plain.ts'
import type { CompactionReport } from '../core/report.ts'
import type { ModelReply, ModelRequest } from '../core/summary.ts'
import type {
  Answered,
  ConversationMethods,
  ConversationRef,
  HistoryUpdate,
  PrepareAnswer,
  StoreChoice,
} from '../engine/conversation-jobs.ts'
import type { Assembly, Engine, EngineOptions } from '../engine/engine.ts'
import { EventHub } from '../engine/events.ts'
import { uniqueId } from '../engine/unique-id.ts'
import { type Fields, fieldsOf, sentRequest, type TakenRequest, takeRequest } from '../request.ts'
import { type Assembled, assembledFrom } from './assembled.ts'
import { asDone, converse, eventOf, type Resume } from './converse.ts'
import {
  AppError,
  failedReport,
  isCallersOwn,
  messageOf,
  noSummarizer,
  unwrapped,
} from './fault.ts'
import { type Parts, type Sending, SentHistory } from './history.ts'
import type { Conversation, ConversationEvents, ConversationSnapshot, Turn } from './surface.ts'
import type { Tabs } from './tabs.ts'
import { replyKeeper } from './turn.ts'

/** What a conversation needs of the page that it lives on. */
export interface ConversationHost {
  readonly engine: Engine
  readonly store: StoreChoice
  readonly options: EngineOptions
  /** Makes one call to the app's model. */
  readonly serve: (ask: ModelRequest, signal: AbortSignal | undefined) => Promise<ModelReply>
  readonly tabs: Tabs
  /** Called when the conversation is deleted: another one may take its name. */
  readonly gone: (conversation: object) => void
}

/** What the engine made of a request. */
interface Prepared extends Pick<Extract<PrepareAnswer, { type: 'done' }>, 'report' | 'tipKey'> {
  readonly assembly: Assembly | undefined
}

/** Methods whose answers say what the conversation looks like after them. */
type LookingMethod = {
  [M in keyof ConversationMethods]: ReturnType<ConversationMethods[M]> extends Answered<unknown>
    ? M
    : never
}[keyof ConversationMethods]

type JobOf<M extends keyof ConversationMethods> = Omit<
  Parameters<ConversationMethods[M]>[0],
  keyof ConversationRef
>

/** One conversation on the page's side: it keeps what it sent, serves what a compaction asks, and tells what happens. */
export class PageConversation implements Conversation {
  readonly id: string
  readonly #host: ConversationHost
  readonly #sent = new SentHistory()
  readonly #hub = new EventHub<ConversationEvents>()
  readonly #live = new Set<string>()
  /** Histories build on one another: they go to the engine in the order in which they came. */
  #sending: Promise<unknown> = Promise.resolve()
  /** What the engine made of the last request: only what differs from it crosses. */
  #assembled: Assembled | undefined
  #incarnation: string | undefined
  #deleted = false
  #snapshot: ConversationSnapshot

  constructor(id: string, host: ConversationHost) {
    this.id = id
    this.#host = host
    this.#snapshot = {
      storage: host.store === 'memory' ? 'memory-only' : 'durable',
      messages: 0,
      compactions: 0,
      compacting: false,
      canUndo: false,
      canRedo: false,
      revision: 0,
    }
    this.#refresh()
  }

  readonly on: Conversation['on'] = this.#hub.on
  readonly subscribe: Conversation['subscribe'] = (listener) => this.on('change', () => listener())
  readonly getSnapshot: Conversation['getSnapshot'] = () => this.#snapshot

  /** Reads what other tabs stored. What fails here, the next call of the app learns. */
  #refresh(): void {
    this.#call('look', {}).catch(() => {})
  }

  /** Another tab says that it changed the conversation. */
  hear(revision: number): void {
    if (revision !== this.#snapshot.revision) this.#refresh()
  }

  readonly prepare: Conversation['prepare'] = async (request, { format, signal } = {}) => {
    const taken = this.#take(request, format, signal)
    const sending = this.#sent.send(taken.shape, taken.list)
    const fields = fieldsBeside(taken, sending)
    const made = { ...taken, fields, sending }
    try {
      const job = { ...this.#newJob(), request: fields }
      return this.#turnOf(made, await this.#converse(job, sending, signal))
    } catch (error) {
      if (signal?.aborted || isCallersOwn(error)) throw unwrapped(error)
      return this.#failOpen(made, error)
    }
  }

  #take<R extends object>(request: R, format?: Format, signal?: AbortSignal): TakenRequest<R> {
    signal?.throwIfAborted()
    this.#checkAlive()
    return takeRequest(request, shapeOf(request, format))
  }

  #newJob(): JobOf<'prepare'> {
    return { jobId: uniqueId(), options: this.#host.options }
  }

  async #converse(
    wanted: JobOf<'prepare'>,
    sending: Sending | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Prepared> {
    const { jobId } = wanted
    const known = this.#assembled
    const job = { ...wanted, known: known?.token }
    // The right to buy the summary, taken at the first ask.
    let claim: ReturnType<Tabs['claim']> | undefined
    const begin = () => {
      this.#look({ compacting: true })
      this.#hub.emit('compaction:start', { jobId })
      claim = this.#host.tabs.claim(this.id)
    }
    const serve = async (ask: ModelRequest): Promise<ModelReply> => {
      if (!(await claim)) return { type: 'failed', message: 'another tab is making the summary' }
      return this.#host.serve(ask, signal).catch((cause: unknown) => {
        throw new AppError('an error of the app', { cause })
      })
    }
    const goOn = (resume?: Resume) => this.#call('prepare', { ...job, resume }, signal)
    const send = (resume?: Resume) =>
      sending ? this.#prepareWith({ ...job, resume }, sending, signal) : goOn(resume)
    try {
      const { messages, report, tipKey } = await converse({ send, goOn, begin, serve })
      this.#announce(report)
      const assembled = messages && assembledFrom(known, messages)
      this.#assembled = assembled ?? this.#assembled
      return { report, tipKey, assembly: assembled?.items }
    } catch (error) {
      // A job that failed or was aborted gives up its turn, also where none was asked yet: an abort may have crossed
      // an ask on its way. An engine that is lost has none left.
      if (!hasCode(error, 'engine-lost')) {
        this.#host.engine.call('abandon', { ...this.#ref(), jobId }).catch(() => {})
      }
      throw error
    } finally {
      ;(await claim)?.()
      if (claim) this.#look({ compacting: false })
    }
  }

  /** Sends a history and the job that needs it; whole where the engine does not know what it builds on. */
  async #prepareWith(
    job: JobOf<'prepare'>,
    { parts, whole }: Sending,
    signal: AbortSignal | undefined,
  ): Promise<PrepareAnswer> {
    const send = (history: HistoryUpdate) => this.#call('prepare', { ...job, history }, signal)
    const answer = await this.#inOrder(parts, send)
    return answer.type === 'unknown-history' ? this.#inOrder(whole, send) : answer
  }

  /** Stages all parts but the last, one a task, then hands that one to the job. Histories never overtake one another. */
  async #inOrder<T>(parts: Parts, send: (history: HistoryUpdate) => Promise<T>): Promise<T> {
    const sent = this.#sending.then(async () => {
      let last: HistoryUpdate | undefined
      for (const history of parts()) {
        if (last) await this.#host.engine.call('stage', { ...this.#ref(), history: last })
        last = history
      }
      if (!last) throw new RangeError('a history of no parts')
      return { answer: send(last) }
    })
    this.#sending = sent.catch(() => {}) // whoever sent it has the error
    return (await sent).answer
  }

  #turnOf<R extends object>(
    made: Made<R>,
    { assembly, report, tipKey: parentKey }: Prepared,
  ): Turn<R> {
    const { fields, sending } = made
    const { format } = sending
    const turnId = uniqueId()
    const model = typeof fields.model === 'string' ? fields.model : undefined
    const { draft, settle } = replyKeeper({
      // A draft that cannot be kept is told, and the next one is tried all the same.
      draft: (message) => {
        this.#call('draft', { turnId, format, parentKey, message }).catch(this.#tellStorage)
      },
      settle: async (message, usage) => {
        const countedTokens = report.tokensAfter
        const job = { turnId, format, parentKey, message, usage, model, countedTokens }
        await this.#call('settle', job)
        this.#live.delete(turnId)
      },
      fault: this.#tellStorage,
    })
    return {
      request: sentRequest(made, { ...sending, assembly }),
      report,
      draft: (partial) => {
        this.#live.add(turnId)
        draft(partial)
      },
      settle,
    }
  }

  /** A fault of Tamp's own must not keep the app from sending: the request goes out as it was. */
  #failOpen<R extends object>(made: Made<R>, error: unknown): Turn<R> {
    const report = failedReport(made.sending.copies, messageOf(error))
    this.#announce(report)
    this.#tellStorage(error)
    return {
      request: made.own,
      report,
      draft: () => {},
      settle: ({ message }) => this.#storeLate(made, message),
    }
  }

  /** Stores what a turn was about that could not be prepared, with its reply. Rejects where it cannot be stored either. */
  async #storeLate({ shape, sending, fields: request }: Made, message: object): Promise<void> {
    const list = [...sending.copies, plainCopy(message, 'message')]
    const job = { ...this.#newJob(), request, storeOnly: true }
    await this.#prepareWith(job, this.#sent.send(shape, list), undefined)
  }

  readonly #tellStorage = (error: unknown): void => {
    if (hasCode(error, 'engine-lost')) this.#look({ storage: 'memory-only' }) // nothing is stored while none is there
    const code = error instanceof TampError ? error.code : 'unknown'
    this.#hub.emit('storage', { state: this.#snapshot.storage, code, message: messageOf(error) })
  }

  readonly compact: Conversation['compact'] = async ({ focus, signal } = {}) => {
    signal?.throwIfAborted()
    const { hasSummarizer, fallback } = this.#host.options
    if (!hasSummarizer && fallback === 'none') throw noSummarizer()
    try {
      const job = { ...this.#newJob(), forced: { focus } }
      return (await this.#converse(job, undefined, signal)).report
    } catch (error) {
      throw unwrapped(error)
    }
  }

  readonly undo: Conversation['undo'] = () => this.#call('undo', { action: uniqueId() })
  readonly redo: Conversation['redo'] = () => this.#call('redo', { action: uniqueId() })
  readonly compactions: Conversation['compactions'] = () => this.#call('compactions', {})

  readonly measure: Conversation['measure'] = async (request, { format, signal } = {}) => {
    const taken = this.#take(request, format, signal)
    const sending = this.#sent.probe(taken.shape, taken.list)
    const { options, engine } = this.#host
    const job = { ...this.#ref(), request: fieldsBeside(taken, sending), options }
    const send = (history: HistoryUpdate) => engine.call('gauge', { ...job, history }, signal)
    let answer = await this.#inOrder(sending.parts, send)
    if ('type' in answer) answer = await this.#inOrder(sending.whole, send)
    return 'type' in answer ? asDone(answer) : answer
  }

  readonly transcript: Conversation['transcript'] = ({ through } = {}) =>
    this.#call('transcript', { through, liveTurns: [...this.#live] })

  readonly export: Conversation['export'] = () => this.#call('export', {})

  readonly import: Conversation['import'] = async (file) =>
    this.#call('import', { file: typeof file === 'string' ? file : await file.text() })

  readonly delete: Conversation['delete'] = async () => {
    this.#checkAlive()
    await this.#sending // what was handed in before goes with the rest
    try {
      await this.#host.engine.call('delete', this.#ref())
    } catch (error) {
      // Another tab was faster, or the call was repeated because its answer got lost.
      if (!hasCode(error, 'deleted')) throw error
    }
    this.#tell(-1)
    this.#end()
  }

  readonly forget: Conversation['forget'] = (ref) =>
    this.#call('forget', { ref: plainCopy(ref, 'ref') as typeof ref }) // a copy of the same type

  #ref(): ConversationRef {
    return { conversation: this.id, store: this.#host.store, incarnation: this.#incarnation }
  }

  async #call<M extends LookingMethod>(
    method: M,
    job: JobOf<M>,
    signal?: AbortSignal,
  ): Promise<ReturnType<ConversationMethods[M]> extends Answered<infer T> ? T : never> {
    this.#checkAlive()
    try {
      // The job with its reference is the method's own; the generic signature cannot see that.
      const whole = { ...this.#ref(), ...job } as never
      const answer = (await this.#host.engine.call(method, whole, signal)) as Answered<never>
      const { incarnation, ...look } = answer.look
      const { revision } = this.#snapshot
      this.#incarnation = incarnation
      for (const notice of answer.notices) this.#hub.emit('storage', notice)
      this.#look(look)
      if (look.revision > revision) this.#tell(look.revision)
      return answer.value
    } catch (error) {
      if (hasCode(error, 'deleted')) this.#end()
      throw error
    }
  }

  #tell(revision: number): void {
    this.#host.tabs.tell({ conversation: this.id, revision })
  }

  #look(change: Partial<ConversationSnapshot>): void {
    const next = { ...this.#snapshot, ...change }
    const names = Object.keys(next) as (keyof ConversationSnapshot)[] // of a plain object
    if (names.every((name) => next[name] === this.#snapshot[name])) return
    this.#snapshot = next
    this.#hub.emit('change', next)
  }

  #announce(report: CompactionReport): void {
    const event = eventOf(report)
    if (event) this.#hub.emit(event, report)
  }

  #end(): void {
    this.#deleted = true
    this.#host.gone(this)
    this.#look({ messages: 0, compactions: 0, canUndo: false, canRedo: false })
  }

  #checkAlive(): void {
    const { id: conversation } = this
    if (!this.#deleted) return
    const message = `the conversation ${JSON.stringify(conversation)} was deleted`
    throw new TampError('deleted', message, { conversation })
  }
}

/** A request under way. */
interface Made<R extends object = object> extends TakenRequest<R> {
  /** What crosses of it beside its messages. */
  readonly fields: Fields
  readonly sending: Sending
}

/** Gives back what crosses of a request beside the history: of its list the leading messages alone. */
function fieldsBeside({ shape, stood }: TakenRequest, { copies, leading }: Sending): Fields {
  return fieldsOf(shape, { ...stood, [shape.listField]: copies.slice(0, leading) })
}
