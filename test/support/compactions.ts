import { adapterFor } from '../../src/adapters/index.ts'
import { readRequest } from '../../src/adapters/read-request.ts'
import type { ReadRequest, RequestHead } from '../../src/core/adapter.ts'
import { type Budget, type Due, makeBudget } from '../../src/core/budget.ts'
import { startCompaction, stepCompaction } from '../../src/core/compaction.ts'
import type { CompactionSetup, CompactionStep } from '../../src/core/compaction-state.ts'
import { applyEdits, type Edit } from '../../src/core/edit.ts'
import { TampError } from '../../src/core/errors.ts'
import type { Format, Unit, View } from '../../src/core/model.ts'
import { configurePasses, type Pass } from '../../src/core/pass.ts'
import { finished } from '../../src/core/sliced.ts'
import type { Fold, ModelReply, ModelRequest } from '../../src/core/summary.ts'
import { defaultRefusalPrefixes, defaultTools } from '../../src/core/tools.ts'
import { countingWith, requestCounter } from '../../src/engine/setup.ts'
import { defaultInvariants } from '../../src/invariants/index.ts'
import { defaultPasses, type PassOptions } from '../../src/passes/index.ts'
import { replace } from '../../src/strategies/replace.ts'
import { summaryWriter } from '../../src/summarize/writer.ts'
import { partCounter } from '../../src/tokens/parts.ts'
import { countText } from './count.ts'
import type { NativeRequest } from './native.ts'

const counting = countingWith('o200k_base', { count: countText })
const counter = partCounter({ count: countText })

/** A history with what a conversation keeps of its newest compaction. */
export interface Kept {
  readonly edits: readonly Edit[]
  /** Messages that were there when it was made. */
  readonly depth: number
}

/** What one compaction is run with; each field but the first has a default. */
export interface CompactionRun {
  readonly limitTokens: number
  readonly due?: Due
  readonly focus?: string
  /** The model; without one the summary is model-free. */
  readonly reply?: (ask: ModelRequest) => ModelReply
  readonly fallback?: 'extractive' | 'none'
  readonly passes?: PassOptions
}

/** What one compaction came to. */
export interface Compacted {
  readonly type: 'done' | 'refused' | 'cannot-fit'
  readonly outcome: string
  readonly reason: string | undefined
  /** What stands afterwards: that of before where nothing was committed. */
  readonly kept: Kept
  readonly step: CompactionStep | undefined
  readonly asked: readonly ModelRequest[]
  /** What every summary was made from, in order. */
  readonly folds: readonly Fold[]
}

/** Nothing was ever compacted. */
export const nothingKept: Kept = { edits: [], depth: 0 }

function readNative(format: Format, request: NativeRequest) {
  return readRequest(adapterFor(request, format), { ...request })
}

/** The tokens of the view that a history has by what is kept, and its budget at a limit. */
export function sizeOf(
  format: Format,
  request: NativeRequest,
  kept: Kept,
  limitTokens: number,
): { readonly tokens: number; readonly budget: Budget } {
  const { view, head } = readNative(format, request)
  return {
    tokens: tokensOf(applyEdits(view, kept.edits)),
    budget: budgetOf(head, limitTokens),
  }
}

function tokensOf({ units }: View): number {
  return units.reduce((sum, unit) => sum + counter.countUnit(unit), 0)
}

function budgetOf(head: RequestHead, limitTokens: number): Budget {
  const { systemTokens, toolTokens } = requestCounter(head, counting)
  return makeBudget({
    ceilingTokens: limitTokens,
    overheadTokens: systemTokens + toolTokens,
    reserveTokens: 0,
    trigger: 0.85,
    target: 0.5,
    keepRecentTokens: undefined,
  })
}

/** The request that would be sent: the history with what is kept, later messages appended as they came. */
export function projected<R extends NativeRequest>(format: Format, request: R, kept: Kept): R {
  const { view } = readNative(format, request)
  if (kept.edits.length === 0) return request
  return adapterFor(request, format).write(request, projectedView(view, kept))
}

function projectedView(view: View, { edits, depth }: Kept): View {
  return applyEdits({ ...view, joinDepth: depth }, edits)
}

/** Runs the machine on a history, from what is kept of earlier compactions, to its end. */
export function compact(
  format: Format,
  request: NativeRequest,
  kept: Kept,
  run: CompactionRun,
): Compacted {
  const read = readNative(format, request)
  const folds: Fold[] = []
  const asked: ModelRequest[] = []
  const setup = setupOf(read, kept, run, folds)
  try {
    const step = runSteps(setup, run, asked)
    const isDone = step.type === 'done'
    return {
      type: isDone ? 'done' : 'refused',
      outcome: step.type === 'refused' ? step.outcome : 'compacted',
      reason: step.type === 'refused' ? step.reason : undefined,
      kept: isDone ? { edits: step.state.edits, depth: read.view.originals.length } : kept,
      step,
      asked,
      folds,
    }
  } catch (error) {
    if (!(error instanceof TampError) || error.code !== 'cannot-fit') throw error
    const none = { step: undefined, asked, folds, kept }
    return { ...none, type: 'cannot-fit', outcome: 'cannot-fit', reason: error.message }
  }
}

const MAX_STEPS = 40

function runSteps(setup: CompactionSetup, run: CompactionRun, asked: ModelRequest[]) {
  let state = finished(startCompaction(setup))
  let reply: ModelReply | undefined
  for (let count = 0; count < MAX_STEPS; count++) {
    const step = finished(stepCompaction(setup, structuredClone(state), reply))
    reply = undefined
    if (step.type !== 'ask' && step.type !== 'next') return step
    state = step.state
    if (step.type !== 'ask') continue
    asked.push(step.ask)
    reply = run.reply?.(step.ask)
  }
  throw new RangeError(`a compaction of more than ${MAX_STEPS} steps`)
}

/** Gives back what a compaction of this history would work with, `units` of it being there, from what is kept. */
export function standingSetup(
  format: Format,
  request: NativeRequest,
  kept: Kept,
  units: readonly Unit[],
): CompactionSetup {
  const read = readNative(format, request)
  const view = { ...read.view, units, originals: units, joinDepth: kept.depth }
  return {
    ...setupOf({ ...read, view }, kept, { limitTokens: 1_000_000 }, []),
    standing: kept.edits,
  }
}

function setupOf(
  { view, head }: ReadRequest,
  { edits }: Kept,
  run: CompactionRun,
  folds: Fold[],
): CompactionSetup {
  const writer = summaryWriter(countText)
  const seen = (fold: Fold): Fold => {
    folds.push(fold)
    return fold
  }
  return {
    base: view,
    standing: structuredClone(edits),
    due: run.due ?? 'hard',
    budget: budgetOf(head, run.limitTokens),
    passes: configurePasses(defaultPasses as readonly Pass[], run.passes ?? {}),
    invariants: defaultInvariants,
    strategy: replace,
    writer: {
      ask: (fold, rejected) => writer.ask(seen(fold), rejected),
      check: writer.check,
      extract: (fold) => writer.extract(seen(fold)),
    },
    hasSummarizer: run.reply !== undefined,
    fallback: run.fallback ?? 'extractive',
    focus: run.focus,
    tools: defaultTools,
    refusalPrefixes: defaultRefusalPrefixes,
    ...counter,
  }
}
