import type { Format } from '../../core/model.ts'
import type { HistoryUpdate } from '../conversation-jobs.ts'
import type { History } from './history.ts'

/** Histories that the page may build on: it builds on its newest, or on one before that a call of its own came between. */
const MAX_HISTORIES = 4

interface Staged {
  readonly base: History | undefined
  readonly changes: (readonly [number, object])[]
  parts: number
}

/** What the page sent, by the names it gave. */
export class Histories {
  private readonly known = new Map<string, History>()
  private readonly staged = new Map<string, Staged>()

  /**
   * Keeps a part; the log need not be open yet. Gives back false where the history it starts from is not known any
   * more.
   */
  stage(update: HistoryUpdate): boolean {
    const staged = this.staged.get(update.token) ?? this.begin(update)
    if (!staged || staged.parts !== update.part) return false
    staged.changes.push(...update.changes)
    staged.parts++
    return true
  }

  private begin(update: HistoryUpdate): Staged | undefined {
    const base = update.base === undefined ? undefined : this.known.get(update.base)
    if (update.base !== undefined && !base) return undefined
    const staged: Staged = { base, changes: [], parts: 0 }
    keep(this.staged, update.token, staged)
    return staged
  }

  /** Takes the parts of a history together; `undefined` where one of them is missing. */
  take(update: HistoryUpdate, generation: number): Incoming | undefined {
    if (!this.stage(update)) return undefined
    const staged = this.staged.get(update.token)
    this.staged.delete(update.token)
    // The log may have been renumbered since.
    const isGone = staged?.base !== undefined && staged.base.generation !== generation
    if (!staged || isGone) return undefined
    const came = (staged.base?.came ?? []).slice(0, update.length)
    for (const [index, message] of staged.changes) came[index] = message
    const changed = staged.changes.map(([index]) => index)
    const first = changed.reduce((least, index) => Math.min(least, index), came.length)
    const firstChanged = Math.min(first, staged.base?.came.length ?? 0)
    return {
      format: update.format,
      base: staged.base,
      came,
      firstChanged,
      changed: new Set(changed),
    }
  }

  remember(token: string, history: History): void {
    keep(this.known, token, history)
  }
}

function keep<V>(map: Map<string, V>, key: string, value: V): void {
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > MAX_HISTORIES && oldest !== undefined) map.delete(oldest)
}

/** A history whose place in the log is not known yet. */
export interface Incoming {
  readonly format: Format
  readonly base: History | undefined
  readonly came: readonly object[]
  /** Index of the first message that is not that of `base`; the number of messages where all are. */
  readonly firstChanged: number
  /** Indexes of messages that are not those of `base`. */
  readonly changed: ReadonlySet<number>
}
