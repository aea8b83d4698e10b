import { shapeOf } from '../adapters/shapes/index.ts'
import { TampError } from '../core/errors.ts'
import { plainCopy } from '../core/plain.ts'
import type { CompactionReport } from '../core/report.ts'
import type { ModelReply, ModelRequest } from '../core/summary.ts'
import type {
  Answered,
  ConversationLook,
  ConversationMethods,
  ConversationRef,
  ForgetRef,
  HistoryUpdate,
  PrepareAnswer,
  PrepareJob,
  StoreChoice,
} from '../engine/conversation-jobs.ts'
import type { Engine, EngineOptions } from '../engine/engine.ts'
import { EventHub } from '../engine/events.ts'
import { uniqueId } from '../engine/unique-id.ts'
import { fieldsOf, type RequestSnapshot, sentRequest, snapshotOf } from '../request.ts'
import { Claim } from './claim.ts'
import {
  AppError,
  failedReport,
  forgotten,
  isCallersOwn,
  isEngineLost,
  unwrapped,
} from './fault.ts'
import { type Sending, SentHistory } from './history.ts'
import type { Conversation, ConversationEvents, ConversationSnapshot, Turn } from './surface.ts'
import type { Tabs } from './tabs.ts'
import { ReplyKeeper } from './turn.ts'

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

type Done = Extract<PrepareAnswer, { type: 'done' }>

type PrepareOptions = NonNullable<Parameters<Conversation['prepare']>[1]>

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
  private readonly host: ConversationHost
  private readonly sent = new SentHistory()
  private readonly hub = new EventHub<ConversationEvents>()
  private readonly listeners = new Set<() => void>()
  private readonly live = new Set<string>()
  /** Histories build on one another: they go to the engine in the order in which they came. */
  private sending: Promise<unknown> = Promise.resolve()
  private incarnation: string | undefined
  private deleted = false
  private snapshot: ConversationSnapshot

  constructor(id: string, host: ConversationHost) {
    this.id = id
    this.host = host
    this.snapshot = {
      storage: host.store === 'memory' ? 'memory-only' : 'durable',
      messages: 0,
      compactions: 0,
      compacting: false,
      canUndo: false,
      canRedo: false,
      revision: 0,
    }
    this.refresh().catch(() => {}) // whoever uses the conversation learns it from the first call
  }

  readonly on: Conversation['on'] = (event, listener, options) =>
    this.hub.on(event, listener, options)

  readonly subscribe: Conversation['subscribe'] = (listener) => {
    this.listeners.add(listener)
    return () => {
      this.listeners.delete(listener)
    }
  }

  readonly getSnapshot: Conversation['getSnapshot'] = () => this.snapshot

  /** Reads what other tabs stored. */
  async refresh(): Promise<void> {
    await this.call('look', {})
  }

  /** Another tab says that it changed the conversation. */
  hear(revision: number): void {
    if (revision === this.snapshot.revision) return
    this.refresh().catch(() => {}) // a hint: the next call of the app learns what it needs
  }

  readonly prepare: Conversation['prepare'] = async <R extends object>(
    request: R,
    { format, signal }: PrepareOptions = {},
  ): Promise<Turn<R>> => {
    signal?.throwIfAborted()
    this.checkAlive()
    const shape = shapeOf(request, format)
    const snapshot = snapshotOf(request, shape)
    const leading = shape.leadingMessages(snapshot.list)
    const { listField } = shape
    const messages = snapshot.list.slice(leading)
    const head = { ...snapshot.request, [listField]: snapshot.list.slice(0, leading) }
    const fields = fieldsOf(shape, head)
    const sending = this.sent.send(shape.format, messages, listField)
    const lead = fields[listField] as readonly unknown[] // copied from a list
    const copies = [...lead, ...sending.copies]
    const { format: known } = shape
    const made: Made<R> = { request, snapshot, copies, leading, fields, format: known }
    const model = typeof fields.model === 'string' ? fields.model : undefined
    try {
      const done = await this.converse({ ...this.newJob(), request: fields }, sending, signal)
      return this.turnOf(made, done, known, model)
    } catch (error) {
      if (signal?.aborted || error instanceof AppError || isCallersOwn(error))
        throw unwrapped(error)
      return this.failOpen(made, error)
    }
  }

  private newJob(): Omit<PrepareJob, keyof ConversationRef> {
    return {
      jobId: uniqueId(),
      history: undefined,
      request: undefined,
      options: this.host.options,
      forced: undefined,
      resume: undefined,
    }
  }

  /** The one loop that serves what a compaction asks for (DESIGN 1.4). */
  private async converse(
    job: Omit<PrepareJob, keyof ConversationRef>,
    sending: Sending | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Done> {
    const claim = new Claim(this.host.tabs, this.id)
    try {
      let answer = await this.prepareWith(job, sending, signal)
      while (answer.type === 'ask') {
        if (!claim.asked) this.begin(job.jobId)
        const reply = await this.reply(claim, answer.ask, signal)
        const resume = { state: answer.state, reply }
        answer = await this.call('prepare', { ...job, resume }, signal)
        if (answer.type !== 'unknown-job') continue
        answer = await this.prepareWith({ ...job, resume }, sending, signal)
      }
      if (answer.type !== 'done') throw forgotten(answer.type)
      this.announce(answer.report)
      return answer
    } catch (error) {
      // Also where none was asked yet: an abort may have crossed an ask on its way.
      if (!isEngineLost(error)) this.abandon(job.jobId)
      throw error
    } finally {
      claim.letGo()
      if (claim.asked) this.look({ compacting: false })
    }
  }

  private begin(jobId: string): void {
    this.look({ compacting: true })
    this.hub.emit('compaction:start', { jobId })
  }

  /** An aborted or failed job gives up its turn; an engine that is lost has none left. */
  private abandon(jobId: string): void {
    this.host.engine.call('abandon', { ...this.ref(), jobId }).catch(() => {})
  }

  private async reply(
    claim: Claim,
    ask: ModelRequest,
    signal: AbortSignal | undefined,
  ): Promise<ModelReply> {
    if (!(await claim.take())) {
      return { type: 'failed', message: 'another tab is making the summary' }
    }
    try {
      return await this.host.serve(ask, signal)
    } catch (error) {
      throw new AppError(error)
    }
  }

  /** Sends a history and the job that needs it; whole where the engine does not know what it builds on. */
  private async prepareWith(
    job: Omit<PrepareJob, keyof ConversationRef>,
    sending: Sending | undefined,
    signal: AbortSignal | undefined,
  ): Promise<PrepareAnswer> {
    if (!sending) return this.call('prepare', job, signal)
    const send = (history: HistoryUpdate) => this.call('prepare', { ...job, history }, signal)
    const answer = await this.inOrder(sending.parts, send)
    if (answer.type !== 'unknown-history') return answer
    return this.inOrder(sending.whole(), send)
  }

  /** Stages all parts but the last, one a task, then hands that one to the job. Histories never overtake one another. */
  private async inOrder<T>(
    parts: readonly HistoryUpdate[],
    send: (history: HistoryUpdate) => Promise<T>,
  ): Promise<T> {
    const sent = this.sending.then(async () => {
      for (const history of parts.slice(0, -1)) {
        await this.host.engine.call('stage', { ...this.ref(), history })
      }
      const last = parts.at(-1)
      if (!last) throw new RangeError('a history of no parts')
      return { answer: send(last) }
    })
    this.sending = sent.catch(() => {}) // whoever sent it has the error
    return (await sent).answer
  }

  private turnOf<R extends object>(
    { request, snapshot, copies, leading }: Made<R>,
    { messages, report, tipKey: parentKey }: Done,
    format: HistoryUpdate['format'],
    model: string | undefined,
  ): Turn<R> {
    const turnId = uniqueId()
    const keeper = new ReplyKeeper({
      draft: (message) => this.keepDraft({ turnId, format, parentKey, message }),
      settle: async (message, usage) => {
        const countedTokens = report.tokensAfter
        const job = { turnId, format, parentKey, message, usage, model, countedTokens }
        await this.call('settle', job)
        this.live.delete(turnId)
      },
      fault: (error) => this.tellStorage(error),
    })
    return {
      request: sentRequest(request, snapshot, { copies, leading, assembly: messages }),
      report,
      draft: (partial) => {
        this.live.add(turnId)
        keeper.draft(partial)
      },
      settle: keeper.settle,
    }
  }

  /** A draft that cannot be kept is told, and the next one is tried all the same. */
  private async keepDraft(job: JobOf<'draft'>): Promise<void> {
    try {
      await this.call('draft', job)
    } catch (error) {
      this.tellStorage(error)
    }
  }

  /** A fault of Tamp's own must not keep the app from sending: the request goes out as it was. */
  private failOpen<R extends object>(made: Made<R>, error: unknown): Turn<R> {
    const { request, copies } = made
    const report = failedReport(copies, String(error instanceof Error ? error.message : error))
    this.announce(report)
    this.tellStorage(error)
    return {
      request,
      report,
      draft: () => {},
      settle: ({ message }) => this.storeLate(made, message),
    }
  }

  /** Stores what a turn was about that could not be prepared, with its reply. Rejects where it cannot be stored either. */
  private async storeLate(made: Made, message: object): Promise<void> {
    const { snapshot, copies, leading, fields, format } = made
    const history = [...copies.slice(leading), plainCopy(message, 'message')]
    const sending = this.sent.send(format, history, snapshot.listField)
    await this.prepareWith(
      { ...this.newJob(), request: fields, storeOnly: true },
      sending,
      undefined,
    )
  }

  private tellStorage(error: unknown): void {
    if (isEngineLost(error)) this.look({ storage: 'memory-only' }) // nothing is stored while no engine is there
    const { storage: state } = this.snapshot
    const code = error instanceof TampError ? error.code : 'unknown'
    const message = error instanceof Error ? error.message : String(error)
    this.hub.emit('storage', { state, code, message })
  }

  readonly compact: Conversation['compact'] = async ({ focus, signal } = {}) => {
    signal?.throwIfAborted()
    const { hasSummarizer, fallback } = this.host.options
    if (!hasSummarizer && fallback === 'none') {
      throw new TampError('summarizer-unavailable', 'no summarizer is configured')
    }
    try {
      const job = { ...this.newJob(), forced: { focus } }
      return (await this.converse(job, undefined, signal)).report
    } catch (error) {
      throw unwrapped(error)
    }
  }

  readonly undo: Conversation['undo'] = () => this.call('undo', { action: uniqueId() })
  readonly redo: Conversation['redo'] = () => this.call('redo', { action: uniqueId() })
  readonly compactions: Conversation['compactions'] = () => this.call('compactions', {})

  readonly measure: Conversation['measure'] = async (request, { format, signal } = {}) => {
    signal?.throwIfAborted()
    this.checkAlive()
    const shape = shapeOf(request, format)
    const { list } = snapshotOf(request, shape)
    const leading = shape.leadingMessages(list)
    const { listField } = shape
    const fields = fieldsOf(shape, { ...request, [listField]: list.slice(0, leading) })
    const sending = this.sent.probe(shape.format, list.slice(leading), listField)
    const { options, engine } = this.host
    const send = (history: HistoryUpdate) =>
      engine.call('gauge', { ...this.ref(), history, request: fields, options }, signal)
    const answer = await this.inOrder(sending.parts, send)
    if (!('type' in answer)) return answer
    const again = await this.inOrder(sending.whole(), send)
    if ('type' in again) throw forgotten(again.type)
    return again
  }

  readonly transcript: Conversation['transcript'] = ({ through } = {}) =>
    this.call('transcript', { through, liveTurns: [...this.live] })

  readonly export: Conversation['export'] = () => this.call('export', {})

  readonly import: Conversation['import'] = async (file) =>
    this.call('import', { file: typeof file === 'string' ? file : await file.text() })

  readonly delete: Conversation['delete'] = async () => {
    this.checkAlive()
    await this.sending // what was handed in before goes with the rest
    try {
      await this.host.engine.call('delete', this.ref())
    } catch (error) {
      // Another tab was faster, or the call was repeated because its answer got lost.
      if (!(error instanceof TampError && error.code === 'deleted')) throw error
    }
    this.host.tabs.tell({ conversation: this.id, revision: -1 })
    this.end()
  }

  readonly forget: Conversation['forget'] = (ref) => this.call('forget', { ref: forgetRef(ref) })

  private ref(): ConversationRef {
    return { conversation: this.id, store: this.host.store, incarnation: this.incarnation }
  }

  private async call<M extends LookingMethod>(
    method: M,
    job: JobOf<M>,
    signal?: AbortSignal,
  ): Promise<ReturnType<ConversationMethods[M]> extends Answered<infer T> ? T : never> {
    this.checkAlive()
    try {
      // The job with its reference is the method's own; the generic signature cannot see that.
      const whole = { ...this.ref(), ...job } as never
      const answer = (await this.host.engine.call(method, whole, signal)) as Answered<never>
      this.incarnation = answer.look.incarnation
      for (const notice of answer.notices) this.hub.emit('storage', notice)
      this.see(answer.look)
      return answer.value
    } catch (error) {
      if (error instanceof TampError && error.code === 'deleted') this.end()
      throw error
    }
  }

  private see({ incarnation: _, ...look }: ConversationLook): void {
    const { revision } = this.snapshot
    this.look(look)
    if (look.revision > revision) {
      this.host.tabs.tell({ conversation: this.id, revision: look.revision })
    }
  }

  private look(change: Partial<ConversationSnapshot>): void {
    const next = { ...this.snapshot, ...change }
    const names = Object.keys(next) as (keyof ConversationSnapshot)[] // of a plain object
    if (names.every((name) => next[name] === this.snapshot[name])) return
    this.snapshot = next
    this.hub.emit('change', next)
    for (const listener of this.listeners) callBack(listener)
  }

  private announce(report: CompactionReport): void {
    const { outcome, reason } = report
    if (outcome === 'compacted') this.hub.emit('compaction:end', report)
    if (outcome === 'failed') this.hub.emit('compaction:failed', report)
    if (outcome === 'nothing-to-do' && reason !== undefined) {
      this.hub.emit('compaction:skipped', report)
    }
  }

  private end(): void {
    this.deleted = true
    this.host.gone(this)
    this.look({ messages: 0, compactions: 0, canUndo: false, canRedo: false })
  }

  private checkAlive(): void {
    if (!this.deleted) return
    const message = `the conversation ${JSON.stringify(this.id)} was deleted`
    throw new TampError('deleted', message, { conversation: this.id })
  }
}

/** A listener that throws is a fault of the app: it surfaces as an uncaught error and stops nothing here. */
function callBack(listener: () => void): void {
  try {
    listener()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}

/** A request under way. */
interface Made<R extends object = object> {
  readonly request: R
  readonly snapshot: RequestSnapshot<R>
  /** Plain copies of its list, leading messages included. */
  readonly copies: readonly unknown[]
  readonly leading: number
  /** What crosses of it beside its messages. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly format: HistoryUpdate['format']
}

function forgetRef(ref: number | string | object): ForgetRef {
  if (typeof ref === 'number') return { type: 'seq', seq: ref }
  if (typeof ref === 'string') return { type: 'id', id: ref }
  return { type: 'message', message: plainCopy(ref, 'ref') as object } // an object by its type
}
