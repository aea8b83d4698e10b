import type { Due } from './budget.ts'

/** One thing that a compaction may do to get enough room. */
export type Rung =
  /** The last rung on task, unanswered user messages and newest step alone, until they fit together. */
  | 'shorten-what-must-stay'
  | 'cheap-passes'
  | 'summary'
  /** The cheap passes again, with only the newest step as tail. */
  | 'cheap-passes-up-to-newest-step'
  /** The first part of the last rung: results of the newest step. */
  | 'newest-results'
  /** The summary without a model, where the model's failed. */
  | 'model-free-summary'
  | 'last-rung'

/**
 * The rungs for each kind of pressure, in order (SEEDS 5, "Before a request" and "Recovery"). The first three of
 * `hard` run only as far as they are needed, like all of them: a compaction stops where it has enough.
 */
const RUNGS_TO_FIT: readonly Rung[] = [
  'shorten-what-must-stay',
  'cheap-passes',
  'summary',
  'cheap-passes-up-to-newest-step',
  'model-free-summary',
  'last-rung',
]

const RUNGS: Readonly<Record<Due, readonly Rung[]>> = {
  soft: ['cheap-passes', 'summary'],
  forced: ['cheap-passes', 'summary'],
  hard: RUNGS_TO_FIT,
  'one-shot': RUNGS_TO_FIT,
  overflow: ['cheap-passes-up-to-newest-step', 'newest-results', 'summary', 'model-free-summary'],
}

/** Gives back the rungs in order. */
export function rungsFor(due: Due): readonly Rung[] {
  return RUNGS[due]
}

/** True where the request must get within its limit: what does not is `cannot-fit`. */
export function mustFit(due: Due): boolean {
  return due === 'hard' || due === 'one-shot'
}
