import {
  newestStepFrom,
  newestUserPosition,
  type StepSpan,
  stepsOf,
  taskPosition,
  unansweredUserPositions,
} from './exchange.ts'
import { hasResults, type Part, type Unit, type View } from './model.ts'
import { isRefusal } from './tools.ts'

/** What the rules of a request protect. */
export interface KeepSet {
  /** True for parts that no pass may touch: task, unanswered user messages, refusals. */
  readonly isProtected: (part: Part) => boolean
  /** True for units of the tail: the newest steps up to `keepRecentTokens`, at least the newest one. */
  readonly isTail: (unit: Unit) => boolean
  /** True for units of the newest step. */
  readonly isNewestStep: (unit: Unit) => boolean
}

/**
 * Gives back the keep set of the view that a compaction starts from. It holds for the whole compaction: edits do not
 * change it. What is protected is read from the originals, so that a checkpoint in the task's message or a folded
 * request changes nothing; the tail is what is still there.
 */
export function keepSetOf(
  view: View,
  keepRecentTokens: number,
  refusalPrefixes: readonly string[],
  countUnit: (unit: Unit) => number,
): KeepSet {
  const base: View = { ...view, units: view.originals }
  const users = [taskPosition(base), newestUserPosition(base), ...unansweredUserPositions(base)]
  const protectedSeqs = new Set(users.map((position) => base.units[position]?.seq))
  const steps = stepsOf(view)
  const tail = seqsFrom(view, tailStart(view, steps, keepRecentTokens, countUnit))
  const newest = seqsFrom(view, steps[steps.length - 1]?.from ?? 0)
  return {
    isProtected: (part) => {
      const original = part.was ?? part
      if (original.type === 'tool-result') return isRefusal(original.text, refusalPrefixes)
      return protectedSeqs.has(part.seq) && original.type !== 'reasoning'
    },
    isTail: (unit) => tail.has(unit.seq),
    isNewestStep: (unit) => newest.has(unit.seq),
  }
}

function tailStart(
  view: View,
  steps: readonly StepSpan[],
  keepRecentTokens: number,
  countUnit: (unit: Unit) => number,
): number {
  let start = view.units.length
  let tokens = 0
  for (const step of [...steps].reverse()) {
    for (const unit of view.units.slice(step.from, step.to)) tokens += countUnit(unit)
    if (start < view.units.length && tokens > keepRecentTokens) break
    start = step.from
  }
  return start
}

function seqsFrom(view: View, position: number): ReadonlySet<number> {
  return new Set(view.units.slice(position).map((unit) => unit.seq))
}

/**
 * Gives back the units that every request holds: task, unanswered user messages and newest step. Reads the ends of
 * the view alone where a person spoke first and the model answered last.
 */
export function mustStay(view: View): readonly Unit[] {
  const { units } = view
  const newestFrom = newestStepFrom(view)
  const task = taskPosition(view)
  const head = units[task]
  // What the task's own message answers stays with it.
  const behindAnswered = Math.min(newestFrom, head && hasResults(head) ? task : 0)
  const between = [...new Set([task, ...unansweredUserPositions(view)])]
    .filter((position) => position >= behindAnswered && position < newestFrom)
    .sort((a, b) => a - b)
  return [
    ...units.slice(0, behindAnswered),
    ...between.flatMap((position) => units[position] ?? []),
    ...units.slice(newestFrom),
  ]
}
