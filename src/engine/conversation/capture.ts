import { passContext } from '../../core/climb.ts'
import { applyEdits, composeEdits, type Edit } from '../../core/edit.ts'
import { keepSetOf } from '../../core/keep.ts'
import type { CaptureEntry } from '../../core/log/entry.ts'
import type { Log } from '../../core/log/log.ts'
import { squashLargeResults } from '../../passes/squash-large-results.ts'
import { written } from '../assembly.ts'
import { namesOf } from './aliases.ts'
import { writeInput } from './history.ts'
import type { OpenPrepare } from './prepare.ts'

/** New results are squashed at once only above this share of the free allowance (DESIGN 5.2). */
const CAPTURE_SHARE = 0.1

/**
 * Gives back the entry that shrinks new results before they are ever sent: the one moment at which shrinking costs no
 * cached prefix (DESIGN 5.2, SEEDS Z5). Looks at results behind the last answer of the model alone, which cannot have
 * been sent; `undefined` where none is large enough.
 */
export function captureEntry(log: Log, open: OpenPrepare, at: number): CaptureEntry | undefined {
  const edits = captureEdits(open)
  if (edits.length === 0) return undefined
  const { base } = open.job.setup
  const view = applyEdits(base, composeEdits(open.standing.edits, edits))
  const { history } = open.input
  const { aliases } = namesOf(log, history, written(writeInput(history, view)))
  return { type: 'capture', seq: log.count, at, edits, aliases }
}

function captureEdits({ input, job }: OpenPrepare): readonly Edit[] {
  const { history, options } = input
  const { setup, standpoint } = job
  const pass = setup.passes.find(({ name }) => name === squashLargeResults.name)
  const answered = history.units.findLastIndex(({ role }) => role === 'assistant')
  // No edit has touched them yet: they stand in the view as they came.
  const fresh = history.units.slice(Math.max(answered + 1, history.newFrom))
  const results = fresh.flatMap(({ parts }) => parts.filter(({ type }) => type === 'tool-result'))
  if (!pass || results.length === 0) return []
  const freshTokens = fresh.reduce((sum, unit) => sum + setup.countUnit(unit), 0)
  const free = setup.budget.allowanceTokens - (standpoint.start.tokens - freshTokens)
  const tokens = results.reduce((sum, part) => sum + setup.countPart(part), 0)
  if (options.tidy !== 'eager' && tokens <= free * CAPTURE_SHARE) return []
  const { view } = standpoint.start
  const keep = keepSetOf(view, 0, setup.refusalPrefixes, setup.countUnit)
  const seqs = new Set(fresh.map((unit) => unit.seq))
  return pass
    .run(view, passContext(setup, keep))
    .filter((edit) => 'seq' in edit && seqs.has(edit.seq))
}
