import { viewOfUnits } from '../../adapters/read-request.ts'
import type { RequestHead } from '../../core/adapter.ts'
import type { Budget, Due } from '../../core/budget.ts'
import { startCompaction } from '../../core/compaction.ts'
import type { CompactionSetup, CompactionState } from '../../core/compaction-state.ts'
import type { Edit } from '../../core/edit.ts'
import { toolLoopStart } from '../../core/exchange.ts'
import type { CompactionEntry } from '../../core/log/entry.ts'
import type { Log } from '../../core/log/log.ts'
import { isHeldByUndo, type Standing, standingOn } from '../../core/log/project.ts'
import type { View } from '../../core/model.ts'
import {
  type Attempt,
  endsRaised,
  forcedDue,
  isBroken,
  lowersMark,
  pressureOf,
} from '../../core/pressure.ts'
import type { CompactionReport } from '../../core/report.ts'
import type { Sliced } from '../../core/sliced.ts'
import { grownStandpoint, type Standpoint, standpointOf } from '../../core/standpoint.ts'
import { written } from '../assembly.ts'
import type { EngineOptions } from '../engine.ts'
import { endUnchanged, type Job, type JobStop } from '../job.ts'
import { conversationBudget, type RequestCounter, setupOf } from '../setup.ts'
import { namesOf } from './aliases.ts'
import { type History, writeInput } from './history.ts'

/** What a request of a conversation is prepared from. */
export interface PrepareInput {
  readonly history: History
  readonly head: RequestHead
  readonly counter: RequestCounter
  readonly options: EngineOptions
  /** Present for a compaction by hand. */
  readonly forced: { readonly focus: string | undefined } | undefined
  /** Attempts of this session that came to nothing, the newest last. */
  readonly misses: readonly Attempt[]
  readonly startedAt: number
}

/** A request of a conversation on its way, with what the log said when it began. */
export interface OpenPrepare {
  readonly input: PrepareInput
  readonly job: Job
  readonly standing: Standing
  /** What would be sent now. */
  readonly unchanged: Extract<JobStop, { type: 'done' }>
  /** Entries in the log when it began: what came later may make a candidate stale. */
  readonly logCount: number
  /** `Log.viewChanges` when it began. */
  readonly viewChanges: number
  readonly generation: number
}

/**
 * Gives back a request of a conversation as it stands: projected, mended, measured. Where it goes on from an earlier
 * one, `before`, only what is new is read.
 */
export function* openPrepare(
  log: Log,
  input: PrepareInput,
  before: OpenPrepare | undefined,
): Sliced<OpenPrepare> {
  // Others may write meanwhile: what it says is of this moment.
  const { count: logCount, viewChanges } = log
  const { history, head, counter, options, forced } = input
  const known = before && continues(log, before, input) ? before : undefined
  const standing = known?.standing ?? standingOn(log, history.path)
  const view = viewOfUnits(history.adapter, history.units, head)
  const base = standing.joinDepth === undefined ? view : { ...view, joinDepth: standing.joinDepth }
  const setup = setupOf({
    base,
    standing: known?.job.setup.standing ?? withRunningReasoning(base, standing.edits),
    due: 'soft',
    budget: budgetOf(input),
    counter,
    options,
    focus: forced?.focus,
  })
  const job: Job = {
    adapter: history.adapter,
    setup,
    standpoint: yield* standpointFrom(setup, known),
    counter,
    systemMessages: head.systemMessages,
    trigger: forced ? 'manual' : 'threshold',
    startedAt: input.startedAt,
  }
  const unchanged = endUnchanged(job, performance.now(), { outcome: 'unchanged' })
  const { generation } = history
  return { input, job, standing, unchanged, logCount, viewChanges, generation }
}

function budgetOf({ head, counter, options }: PrepareInput): Budget {
  const { model, outputTokens } = head
  const overheadTokens = counter.systemTokens + counter.toolTokens
  const { counting } = counter
  return conversationBudget({ model, outputTokens, overheadTokens, counting }, options)
}

/** True where the same edits stand as before, on a path that goes on from where the earlier one ended. */
function continues(log: Log, before: OpenPrepare, { history, counter }: PrepareInput): boolean {
  const { input, job, standing } = before
  const path = input.history.path
  return (
    before.generation === history.generation &&
    before.viewChanges === log.viewChanges &&
    input.history.adapter === history.adapter &&
    input.counter.countUnit === counter.countUnit &&
    // Reasoning that was given back to a running tool loop may go again once the loop has ended.
    job.setup.standing === standing.edits &&
    path.length <= history.path.length &&
    path.every((seq, depth) => history.path[depth] === seq) &&
    // What is new to the path is new to the log: no capture or compaction can be about it.
    (history.path[path.length] ?? before.logCount) >= before.logCount
  )
}

function* standpointFrom(
  setup: CompactionSetup,
  known: OpenPrepare | undefined,
): Sliced<Standpoint> {
  const grown = known && grownStandpoint(setup, known.job.standpoint)
  return grown ?? (yield* standpointOf(setup))
}

/** Where an app goes back, an old tool loop may be the running one again: its provider wants the reasoning in it. */
function withRunningReasoning(base: View, edits: readonly Edit[]): readonly Edit[] {
  const running = base.units.slice(toolLoopStart(base))
  const parts = new Map(running.map(({ seq, parts: all }) => [seq, all]))
  const kept = edits.filter((edit) => {
    if (edit.type !== 'remove' || edit.part === undefined) return true
    return parts.get(edit.seq)?.[edit.part]?.type !== 'reasoning'
  })
  return kept.length === edits.length ? edits : kept
}

/** What is to be done about the size of a request. */
export type Verdict =
  | { readonly type: 'send' }
  /** Due, and not tried for now. */
  | { readonly type: 'skip'; readonly reason: string }
  | { readonly type: 'compact'; readonly due: Due }

/** Decides whether a compaction runs: pressure with hysteresis, the hold of an undo, the circuit breaker (Z6, DESIGN 5.7). */
export function verdictOn(log: Log, { input, job, standing, unchanged }: OpenPrepare): Verdict {
  const { budget } = job.setup
  const { tokens } = job.standpoint.sent
  if (input.forced) return { type: 'compact', due: forcedDue(tokens, budget) }
  const raised = isRaised(log, standing, job)
  const pressure = pressureOf({ tokens, budget, raised })
  if (pressure === 'none') return { type: 'send' }
  if (pressure === 'hard') return { type: 'compact', due: 'hard' }
  const path = input.history.path
  if (isHeldByUndo(log, path)) return { type: 'skip', reason: 'a compaction was undone' }
  const made = log.compactionsOn(path).map(({ report }) => attemptOf(report))
  if (isBroken([...made, ...input.misses], tokens, budget)) {
    const { floorTokens } = unchanged.report
    const reason = `two compactions in a row freed too little; the floor is ${floorTokens} tokens`
    return { type: 'skip', reason }
  }
  return { type: 'compact', due: 'soft' }
}

function isRaised(log: Log, { compaction }: Standing, { setup }: Job): boolean {
  if (!compaction || log.isLowered(compaction.seq)) return false
  return endsRaised(attemptOf(compaction.report).tokensAfter, setup.budget)
}

/** Gives back the compaction whose raised mark this size lowers again; `undefined` for none. */
export function loweredBy(log: Log, open: OpenPrepare): number | undefined {
  const { job, standing } = open
  if (!standing.compaction || !isRaised(log, standing, job)) return undefined
  const { tokens } = job.standpoint.sent
  return lowersMark(tokens, job.setup.budget) ? standing.compaction.seq : undefined
}

/** Gives back what a compaction came to, of the conversation alone. */
export function attemptOf(report: CompactionReport): Attempt {
  const { overheadTokens, tokensBefore, tokensAfter } = report
  return {
    tokensBefore: tokensBefore - overheadTokens,
    tokensAfter: tokensAfter - overheadTokens,
  }
}

/** Gives back the job of a compaction that is due, with the state it starts from. All may be joined afresh. */
export function* startPrepare(
  open: OpenPrepare,
  due: Due,
): Sliced<{ readonly job: Job; readonly state: CompactionState }> {
  const { joinDepth: _, ...base } = open.job.setup.base
  const job = { ...open.job, setup: { ...open.job.setup, base, due } }
  return { job, state: yield* startCompaction(job.setup) }
}

/**
 * True where a candidate may not be committed any more: something that touches its range was committed since, by
 * another tab or a hand (DESIGN 3). What merely arrived never makes it stale.
 */
export function isStale(log: Log, open: OpenPrepare): boolean {
  const path = open.input.history.path
  return log.entries(open.logCount).some((entry) => {
    if (entry.type === 'compaction') return log.isOn(path, entry.through)
    if (entry.type !== 'undo' && entry.type !== 'redo') return false
    const touched = log.compactions().find(({ seq }) => seq === entry.compaction)
    return touched !== undefined && log.isOn(path, touched.through)
  })
}

/** Gives back the entry of a compaction that ended. */
export function compactionEntry(
  log: Log,
  open: OpenPrepare,
  stop: Extract<JobStop, { type: 'done' }>,
  at: number,
): CompactionEntry {
  const { history } = open.input
  const edits = withoutCaptures(stop.edits, log)
  return {
    type: 'compaction',
    seq: log.count,
    at,
    strategy: open.job.setup.strategy.name,
    trigger: open.job.trigger,
    through: deepest(log, history, edits),
    depth: history.path.length,
    edits,
    aliases: namesOf(log, history, written(writeInput(history, stop.view))).aliases,
    report: stop.report,
  }
}

/** What was shrunk before it was sent stands in the log by itself, and holds where this compaction does not. */
function withoutCaptures(edits: readonly Edit[], log: Log): readonly Edit[] {
  const captured = new Set(log.captures().flatMap((entry) => entry.edits.map(saying)))
  return edits.filter((edit) => !captured.has(saying(edit)))
}

function saying(edit: Edit): string {
  if (edit.type !== 'rewrite') return ''
  return JSON.stringify([edit.seq, edit.part, edit.text])
}

/** Passes whose markers speak of a later result: without it they would point at nothing. */
const POINTING_PASSES = new Set(['evict-superseded-results', 'collapse-repeated-failures'])

/** The deepest message that edits rest on: their targets, and the results that markers point to. */
function deepest(log: Log, history: History, edits: readonly Edit[]): number {
  const seqs = edits.flatMap((edit) => {
    if (edit.type !== 'insert') return [edit.seq]
    return 'into' in edit.place ? [edit.place.into] : [edit.place.after]
  })
  const removed = new Set(edits.flatMap((edit) => (edit.type === 'remove' ? [edit.seq] : [])))
  const points = edits.some(
    (edit) => edit.type === 'rewrite' && POINTING_PASSES.has(edit.pass) && !removed.has(edit.seq),
  )
  const newestResult = history.units.findLast(({ parts }) =>
    parts.some((part) => part.type === 'tool-result'),
  )
  const candidates = points && newestResult ? [...seqs, newestResult.seq] : seqs
  const byDepth = candidates.sort((a, b) => log.depthOf(a) - log.depthOf(b))
  return byDepth.at(-1) ?? -1
}
