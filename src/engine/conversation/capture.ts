import { passContext } from '../../core/climb.ts'
import { conversationTokens } from '../../core/compaction-state.ts'
import { applyEdits, composeEdits, type Edit } from '../../core/edit.ts'
import { keepSetOf } from '../../core/keep.ts'
import type { CaptureEntry } from '../../core/log/entry.ts'
import type { Log } from '../../core/log/log.ts'
import { squashLargeResults } from '../../passes/squash-large-results.ts'
import { aliasesOf } from './aliases.ts'
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
  const aliases = aliasesOf(log, open.input.history, view)
  return { type: 'capture', seq: log.count, at, edits, aliases }
}

function captureEdits({ input, job, standing }: OpenPrepare): readonly Edit[] {
  const { history, options } = input
  const { setup } = job
  const pass = setup.passes.find(({ name }) => name === squashLargeResults.name)
  const answered = history.units.findLastIndex(({ role }) => role === 'assistant')
  const from = Math.max(answered + 1, history.newFrom)
  const fresh = history.units.slice(from)
  if (!pass || fresh.every(({ parts }) => parts.every((part) => part.type !== 'tool-result')))
    return []
  const seqs = new Set(fresh.map((unit) => unit.seq))
  const view = applyEdits(setup.base, standing.edits)
  const others = { ...view, units: view.units.filter((unit) => !seqs.has(unit.seq)) }
  const free = setup.budget.allowanceTokens - conversationTokens(setup, others)
  const results = fresh.flatMap(({ parts }) => parts.filter(({ type }) => type === 'tool-result'))
  const tokens = results.reduce((sum, part) => sum + setup.countPart(part), 0)
  if (options.tidy !== 'eager' && tokens <= free * CAPTURE_SHARE) return []
  const keep = keepSetOf(view, 0, setup.refusalPrefixes, setup.countUnit)
  return pass
    .run(view, passContext(setup, keep))
    .filter((edit) => 'seq' in edit && seqs.has(edit.seq))
}
