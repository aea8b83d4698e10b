import type { Edit } from '../../src/core/edit.ts'
import type { CompactionEntry, LogEntry } from '../../src/core/log/entry.ts'
import type { Log } from '../../src/core/log/log.ts'
import { entriesOfEveryType } from './log-entries.ts'

/** Gives back a compaction that folds a path up to its last message into one sentence. */
export function compactionEntry(log: Log, folded: readonly number[]): CompactionEntry {
  const through = folded.at(-1) ?? -1
  const base = { pass: 'replace', reason: 'folded', tokensBefore: 2, tokensAfter: 1 } as const
  const edits: readonly Edit[] = folded.map((seq) =>
    seq === through
      ? { ...base, type: 'rewrite', seq, part: 0, text: `fold ${log.count} of ${folded.length}` }
      : { ...base, type: 'remove', seq },
  )
  const model = entriesOfEveryType.find(({ type }) => type === 'compaction') as CompactionEntry // one of every type
  return { ...model, seq: log.count, at: log.count, through, depth: folded.length, edits }
}

/** A log without any index: each question goes through all entries. Written apart from `src/core/log`. */
export class NaiveLog {
  readonly entries: LogEntry[] = []

  pathTo(tip: number): readonly number[] {
    const found = this.entries.find(({ seq }) => seq === tip)
    return found?.type === 'message' ? [...this.pathTo(found.parent), tip] : []
  }

  /** The messages that follow one, oldest first. */
  below(parent: number): readonly number[] {
    return this.entries.flatMap((entry) =>
      entry.type === 'message' && entry.parent === parent ? [entry.seq] : [],
    )
  }

  /** The newest compaction that was not undone last and whose messages all lie on the path. */
  activeOn(path: readonly number[]): CompactionEntry | undefined {
    const on = this.entries.filter((entry): entry is CompactionEntry => {
      return entry.type === 'compaction' && path.includes(entry.through)
    })
    const standing = on.filter(({ seq }) => {
      const marks = this.entries.filter(
        (entry) => 'compaction' in entry && entry.compaction === seq,
      )
      return marks.at(-1)?.type !== 'undo'
    })
    return standing.at(-1)
  }

  /** True where something on the path was undone that was not brought back, and nothing newer was made or holds. */
  isHeldOn(path: readonly number[]): boolean {
    const undone = new Set<number>()
    const isOn = (compaction: number) =>
      this.entries.some(
        (entry) =>
          entry.type === 'compaction' && entry.seq === compaction && path.includes(entry.through),
      )
    for (const entry of this.entries) {
      if (entry.type === 'compaction' && isOn(entry.seq)) undone.clear()
      if (entry.type === 'undo' && isOn(entry.compaction)) undone.add(entry.compaction)
      if (entry.type === 'redo') undone.delete(entry.compaction)
    }
    const active = this.activeOn(path)?.seq ?? -1
    return [...undone].some((seq) => seq > active)
  }

  /** What is left of each message of a path, by seq: captures first, then the compaction that holds. */
  textsOn(path: readonly number[]): ReadonlyMap<number, string> {
    const captured = this.entries.flatMap((entry) => (entry.type === 'capture' ? entry.edits : []))
    const own = captured.filter((edit) => 'seq' in edit && path.includes(edit.seq))
    return this.textsBy(path, [...own, ...(this.activeOn(path)?.edits ?? [])])
  }

  textsBy(path: readonly number[], edits: readonly Edit[]): ReadonlyMap<number, string> {
    const texts = new Map(path.map((seq) => [seq, `message ${seq}`]))
    for (const edit of edits) {
      if (edit.type === 'remove') texts.delete(edit.seq)
      if (edit.type === 'rewrite' && texts.has(edit.seq)) texts.set(edit.seq, edit.text)
    }
    return texts
  }
}
