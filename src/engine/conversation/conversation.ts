import { adapterFor } from '../../adapters/index.ts'
import { asFields } from '../../adapters/native.ts'
import type { RequestHead } from '../../core/adapter.ts'
import type { CompactionState } from '../../core/compaction-state.ts'
import { hasCode } from '../../core/errors.ts'
import type { LogEntry, Room } from '../../core/log/entry.ts'
import type { Log } from '../../core/log/log.ts'
import type { View } from '../../core/model.ts'
import type { Attempt } from '../../core/pressure.ts'
import type { CompactionReport } from '../../core/report.ts'
import type { ModelReply } from '../../core/summary.ts'
import { encodingOf, type TokenCounter } from '../../tokens/counter.ts'
import type { Counters } from '../../tokens/counters.ts'
import { assemblyOf, type Written, written } from '../assembly.ts'
import type {
  GaugeJob,
  HistoryUpdate,
  PrepareAnswer,
  PrepareJob,
  UnknownHistory,
} from '../conversation-jobs.ts'
import type { Measurement } from '../engine.ts'
import { checkOverhead, endUnchanged, type Job, type JobStop, runJob } from '../job.ts'
import { measureView } from '../measure.ts'
import { runSliced } from '../schedule.ts'
import { type Counting, countingWith, requestCounter } from '../setup.ts'
import { uniqueId } from '../unique-id.ts'
import { namesOf } from './aliases.ts'
import { captureEntry } from './capture.ts'
import type { Histories } from './histories.ts'
import {
  gaugeHistory,
  type History,
  type Placing,
  placeAgain,
  placeHistory,
  writeInput,
} from './history.ts'
import type { OpenLog } from './open-log.ts'
import {
  attemptOf,
  compactionEntry,
  isStale,
  loweredBy,
  type OpenPrepare,
  openPrepare,
  type PrepareInput,
  startPrepare,
  verdictOn,
} from './prepare.ts'
import { storedCounts } from './stored-counts.ts'
import { Turnstile } from './turnstile.ts'
import { readEntry } from './units.ts'

export const UNKNOWN_HISTORY: UnknownHistory = { type: 'unknown-history' }

/** A candidate that became stale is made again from what was committed meanwhile, at most this often. */
const MAX_TRIES = 3

/** A compaction that waits for a model, with its turn at the turnstile. */
interface Waiting {
  readonly open: OpenPrepare
  readonly job: Job
  readonly leave: () => void
  /** Candidates that became stale before this one. */
  readonly tries: number
}

/** A conversation as the engine works on it: its log, what the page sent of it, and the compaction that runs. */
export class EngineConversation {
  readonly opened: OpenLog
  private readonly histories: Histories
  /** One compaction at a time; what else arrives is stored meanwhile and waits here. */
  private readonly compacting = new Turnstile()
  private readonly waiting = new Map<string, Waiting>()
  private readonly counts = new Map<TokenCounter, Counting>()
  private readonly counters: Counters
  private misses: readonly Attempt[] = []
  /** What was prepared last: the next request goes on from it. */
  private newest: OpenPrepare | undefined
  /** What went out last. */
  private sent: Sent | undefined
  /** What the last request said of the room there is. */
  room: Room | undefined

  constructor(opened: OpenLog, histories: Histories, counters: Counters) {
    this.opened = opened
    this.histories = histories
    this.counters = counters
  }

  /** True while a compaction waits for a model. */
  get isBusy(): boolean {
    return this.waiting.size > 0
  }

  async prepare(job: PrepareJob, signal: AbortSignal | undefined): Promise<PrepareAnswer> {
    const waiting = this.waiting.get(job.jobId)
    if (job.resume && waiting) return this.goOn(job, waiting, job.resume, signal)
    if (!job.history && !job.forced) return { type: 'unknown-job' }
    const input = await this.read(job)
    if (!input) return UNKNOWN_HISTORY
    const came = await this.open(input)
    if (job.storeOnly) return this.answer(came, job, undefined)
    this.room = roomOf(came)
    if (input.history.units.length === 0) return this.answer(came, job, undefined)
    checkOverhead(came.job.setup)
    const open = (await this.capture(came)) ? await this.open(await this.current(input)) : came
    const verdict = verdictOn(this.opened.log, open)
    if (verdict.type === 'compact') return this.compact(job, open.input, signal)
    return this.answer(open, job, verdict.type === 'skip' ? verdict.reason : undefined)
  }

  /** What it works on: the history that the page sent, or the active path for a compaction by hand. */
  private async read(job: PrepareJob): Promise<PrepareInput | undefined> {
    const startedAt = performance.now()
    const { options, forced } = job
    if (!job.history) await this.opened.refresh()
    const room = this.room ?? this.opened.head?.room
    const head = job.request ? this.headOf(job) : headOfRoom(room)
    const counting = job.storeOnly ? undefined : await this.countingFor(head.model)
    const placing = { offset: head.systemMessages, counting }
    const history = job.history ? await this.place(job.history, placing) : this.activeHistory()
    if (!history) return undefined
    const counter = requestCounter(head, counting ?? countingBytes)
    const input = { history, head, counter, options, forced, misses: this.misses, startedAt }
    if (job.request || !room) return input
    return { ...input, counter: { ...counter, systemTokens: room.overheadTokens } }
  }

  private async place(update: HistoryUpdate, placing: Placing): Promise<History | undefined> {
    const incoming = this.histories.take(update, this.opened.generation)
    if (!incoming) return undefined
    const history = await placeHistory(this.opened, incoming, placing)
    this.histories.remember(update.token, history)
    return history
  }

  private async placingFor({ systemMessages, model }: RequestHead): Promise<Placing> {
    return { offset: systemMessages, counting: await this.countingFor(model) }
  }

  /** What it works on, as it lies in the log now: entries may have been renumbered since it was read. */
  private async current(input: PrepareInput): Promise<PrepareInput> {
    if (input.history.generation === this.opened.generation) return input
    const history = input.forced
      ? this.activeHistory()
      : await placeAgain(this.opened, input.history, await this.placingFor(input.head))
    return this.current({ ...input, history })
  }

  private headOf({ request = {}, history }: Pick<PrepareJob, 'request' | 'history'>): RequestHead {
    return adapterFor(request, history?.format).readHead(request)
  }

  /** The active path, from what the log holds. */
  private activeHistory(): History {
    const { log, head, generation } = this.opened
    const path = log.pathTo(head?.tip ?? -1)
    const entries = path.flatMap((seq) => log.message(seq) ?? [])
    const units = entries.map((entry) => log.unitOf(entry, readEntry))
    return {
      adapter: adapterFor({}, entries.at(-1)?.format ?? 'openai-chat'),
      came: entries.map((entry) => asFields(entry.native, 'message')),
      path,
      units,
      ends: units.map((_, index) => index + 1),
      generation,
      newFrom: units.length,
    }
  }

  /** Counts for the model of the last request; `undefined` where its tables cannot be had: what is stored can wait. */
  async counting(): Promise<Counting | undefined> {
    try {
      return await this.countingFor((this.room ?? this.opened.head?.room)?.model)
    } catch (error) {
      if (hasCode(error, 'ranks-unavailable')) return undefined
      throw error
    }
  }

  /** Counts for a model; what was counted when it was stored is not counted again. */
  private async countingFor(model: string | undefined): Promise<Counting> {
    const encoding = encodingOf(model)
    const tokens = await this.counters.get(encoding)
    const known =
      this.counts.get(tokens) ?? countingWith(encoding, tokens, storedCounts(this.opened, encoding))
    this.counts.set(tokens, known)
    return known
  }

  /** What the log changed meanwhile counts: it is opened anew then, as often as it takes. */
  private async open(input: PrepareInput): Promise<OpenPrepare> {
    const { log } = this.opened
    const open = await runSliced(openPrepare(log, input, this.newest))
    if (log === this.opened.log && log.viewChanges !== open.viewChanges) return this.open(input)
    this.newest = open
    return open
  }

  /** Shrinks large new results before they are sent, and lowers a raised mark. True where the log was changed, here or meanwhile. */
  private async capture(open: OpenPrepare): Promise<boolean> {
    if (open.input.forced) return false
    const lowered = loweredBy(this.opened.log, open)
    if (lowered === undefined && !captureEntry(this.opened.log, open, 0)) return false
    await this.opened.change({ natives: [] }, (log) => {
      const at = Date.now()
      const entry = captureEntry(log, open, at)
      const add: LogEntry[] = entry ? [entry] : []
      if (lowered !== undefined && !log.isLowered(lowered)) {
        add.push({ type: 'lowered', seq: log.count + add.length, at, compaction: lowered })
      }
      return add.length > 0 && open.generation === this.opened.generation ? { add } : undefined
    })
    return true
  }

  private async compact(
    job: PrepareJob,
    input: PrepareInput,
    signal: AbortSignal | undefined,
  ): Promise<PrepareAnswer> {
    const leave = await this.compacting.enter(signal)
    try {
      const answer = await this.compactNow(job, input, leave, signal)
      if (answer.type !== 'ask') leave()
      return answer
    } catch (error) {
      leave()
      throw error
    }
  }

  private async compactNow(
    job: PrepareJob,
    input: PrepareInput,
    leave: () => void,
    signal: AbortSignal | undefined,
    triesBefore = 0,
  ): Promise<PrepareAnswer> {
    let resume = job.resume
    for (let tries = triesBefore; ; tries++) {
      const isLast = tries + 1 >= MAX_TRIES
      // The last one buys nothing more: it does without a model.
      const wanted = isLast ? withoutSummarizer(input) : input
      const open = await this.open(await this.current(wanted))
      // Another one may have been committed while this one waited for its turn.
      const verdict = verdictOn(this.opened.log, open)
      if (verdict.type === 'send') return this.answer(open, job, undefined)
      if (verdict.type === 'skip') return this.answer(open, job, verdict.reason)
      const start = await runSliced(startPrepare(open, verdict.due), signal)
      const stop = await runSliced(
        runJob(start.job, resume?.state ?? start.state, resume?.reply),
        signal,
      )
      resume = undefined
      if (stop.type === 'ask') {
        this.waiting.set(job.jobId, { open, job: start.job, leave, tries })
        return stop
      }
      const answer = await this.finish(open, job, stop, isLast)
      if (answer) return answer
    }
  }

  private async goOn(
    job: PrepareJob,
    { open, job: running, leave, tries }: Waiting,
    resume: { readonly state: CompactionState; readonly reply: ModelReply },
    signal: AbortSignal | undefined,
  ): Promise<PrepareAnswer> {
    try {
      const stop = await runSliced(runJob(running, resume.state, resume.reply), signal)
      if (stop.type === 'ask') return stop
      this.waiting.delete(job.jobId)
      const answer =
        (await this.finish(open, job, stop, false)) ??
        (await this.compactNow({ ...job, resume: undefined }, open.input, leave, signal, tries + 1))
      if (answer.type !== 'ask') leave()
      return answer
    } catch (error) {
      this.abandon(job.jobId)
      throw error
    }
  }

  /** Commits what a compaction came to; `undefined` where it is stale and may be made again. */
  private async finish(
    open: OpenPrepare,
    job: PrepareJob,
    stop: Extract<JobStop, { type: 'done' }>,
    isLast: boolean,
  ): Promise<PrepareAnswer | undefined> {
    const { report } = stop
    if (report.outcome !== 'compacted') {
      const { tokensBefore } = attemptOf(report)
      if (open.input.forced) return this.answerWith(open, job, stop)
      this.misses = [...this.misses, { tokensBefore, tokensAfter: tokensBefore }].slice(-2)
      return this.answerWith(open, job, stop)
    }
    const room = roomOf(open)
    const made = await this.opened.change({ natives: [] }, (log) => {
      if (open.generation !== this.opened.generation || isStale(log, open)) return undefined
      return { add: [compactionEntry(log, open, stop, Date.now())], room }
    })
    if (made) {
      this.misses = []
      return this.answerWith(open, job, stop)
    }
    if (!isLast) return undefined
    const reason = 'the conversation was changed elsewhere again and again'
    const { overheadTokens, tokensAfter } = open.unchanged.report
    // What must be smaller goes out as it was made, though it could not be kept.
    if (tokensAfter - overheadTokens > open.job.setup.budget.allowanceTokens) {
      return this.answerWith(open, job, { ...stop, report: { ...report, reason } })
    }
    const now = performance.now()
    return this.answerWith(open, job, endUnchanged(open.job, now, { outcome: 'failed', reason }))
  }

  private answer(
    open: OpenPrepare,
    job: PrepareJob,
    reason: string | undefined,
  ): Promise<PrepareAnswer> {
    const outcome = open.input.forced || reason !== undefined ? 'nothing-to-do' : 'unchanged'
    if (reason === undefined && outcome === 'unchanged')
      return this.answerWith(open, job, open.unchanged)
    const said = { outcome, reason: reason ?? 'there is nothing to compact' } as const
    return this.answerWith(open, job, endUnchanged(open.job, performance.now(), said))
  }

  private async answerWith(
    open: OpenPrepare,
    { known }: PrepareJob,
    { view, report }: { readonly view: View; readonly report: CompactionReport },
  ): Promise<PrepareAnswer> {
    const { history } = open.input
    const before = this.sent?.generation === open.generation ? this.sent : undefined
    const out = written(writeInput(history, view), before?.out)
    const stands = open.input.forced ? [] : await this.nameOutput(open, out, before)
    const token = uniqueId()
    this.sent = { token, out, stands, generation: open.generation }
    const items = assemblyOf(out)
    const kept = known !== undefined && known === before?.token ? out.kept : 0
    return {
      type: 'done',
      messages: items && { token, kept, items: items.slice(kept) },
      report,
      tipKey: this.opened.log.keyAt(history.path.at(-1) ?? -1),
    }
  }

  /**
   * Makes what goes out known by its names. A compaction brings its own; another path that it holds on, and what is
   * mended where nothing is compacted, may look otherwise.
   */
  private async nameOutput(
    { input, generation }: OpenPrepare,
    out: Written,
    before: Sent | undefined,
  ): Promise<readonly number[]> {
    const known = before?.stands.slice(0, out.kept)
    const names = namesOf(this.opened.log, input.history, out, known)
    const unknown = (log: Log) =>
      generation === this.opened.generation
        ? names.aliases.filter(({ key, seq }) => log.seqOfAlias(key) !== seq)
        : []
    if (unknown(this.opened.log).length === 0) return names.stands
    await this.opened.change({ natives: [] }, (log) => {
      const aliases = unknown(log)
      if (aliases.length === 0) return undefined
      return { add: [{ type: 'capture', seq: log.count, at: Date.now(), edits: [], aliases }] }
    })
    return names.stands
  }

  /** Lets go of a job that waits for a model, and of its turn. */
  abandon(jobId: string): void {
    this.waiting.get(jobId)?.leave()
    this.waiting.delete(jobId)
  }

  async gauge({
    history: update,
    request,
    options,
  }: GaugeJob): Promise<Measurement | UnknownHistory> {
    const head = this.headOf({ request, history: update })
    const counting = await this.countingFor(head.model)
    const incoming = this.histories.take(update, this.opened.generation)
    if (!incoming) return UNKNOWN_HISTORY
    const history = gaugeHistory(this.opened, incoming, head.systemMessages)
    const counter = requestCounter(head, counting ?? countingBytes)
    const input: PrepareInput = {
      history,
      head,
      counter,
      options,
      forced: undefined,
      misses: this.misses,
      startedAt: performance.now(),
    }
    const { job, unchanged } = await runSliced(openPrepare(this.opened.log, input, this.newest))
    const { ceilingTokens, reserveTokens } = job.setup.budget
    return measureView(unchanged.view, counter, ceilingTokens - reserveTokens)
  }
}

/** For what is only stored, whatever it takes: no rank file is needed. No UTF-16 unit has more bytes, or tokens. */
const countingBytes = countingWith('o200k_base', {
  count: ({ length }) => 3 * length,
})

function withoutSummarizer(input: PrepareInput): PrepareInput {
  return { ...input, options: { ...input.options, hasSummarizer: false } }
}

/** What went out, as far as the next answer may go on from it. */
interface Sent {
  readonly token: string
  readonly out: Written
  /** For each message the last original that it stands for, all named; empty where they were not. */
  readonly stands: readonly number[]
  readonly generation: number
}

/** What stands before a conversation, as far as the last request told. */
function headOfRoom(room: Room | undefined): RequestHead {
  return {
    systemText: '',
    systemMessages: 0,
    toolsText: '',
    model: room?.model,
    outputTokens: room?.reserveTokens,
    cacheMarks: 0,
  }
}

function roomOf({ job, input }: OpenPrepare): Room {
  const { ceilingTokens, reserveTokens, overheadTokens } = job.setup.budget
  const { model } = input.head
  return { model, windowTokens: ceilingTokens, reserveTokens, overheadTokens }
}
