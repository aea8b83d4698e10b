import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Edit } from '../../src/core/edit.ts'
import { appendMessages } from '../../src/core/log/append.ts'
import type { LogEntry, MessageEntry } from '../../src/core/log/entry.ts'
import { Log } from '../../src/core/log/log.ts'
import { isHeldByUndo, redoable, standingOn } from '../../src/core/log/project.ts'
import { replay } from '../../src/core/log/replay.ts'
import { lawParameters, lawTimeoutMs } from '../support/generate.ts'
import { compactionEntry, NaiveLog } from '../support/naive-log.ts'

/** What may happen to a log, with a number that says where. */
type Happening = readonly [kind: (typeof kinds)[number], at: number]

const kinds = [
  'append',
  'append',
  'append',
  'branch',
  'capture',
  'compact',
  'undo',
  'redo',
] as const

const happenings: fc.Arbitrary<readonly Happening[]> = fc.array(
  fc.tuple(fc.constantFrom(...kinds), fc.nat(999)),
  { maxLength: 40, size: 'max' },
)

const identityOf = ({ native }: MessageEntry): string => JSON.stringify(native)

function draft(text: string) {
  const native = { role: 'user', content: text }
  return {
    format: 'openai-chat',
    identity: JSON.stringify(native),
    native,
    origin: 'person',
  } as const
}

/** A log and, beside it, a naive one to which the same happens. */
class Pair {
  readonly log = new Log()
  readonly naive = new NaiveLog()
  tip = -1

  happen([kind, at]: Happening): void {
    const path = this.log.pathTo(this.tip)
    switch (kind) {
      case 'append':
        this.append([`said ${at % 5}`])
        return
      case 'branch':
        this.tip = path[at % Math.max(1, path.length)] ?? -1
        return
      case 'capture':
        if (path.length > 0) this.store(this.captureOf(path[at % path.length] ?? 0))
        return
      case 'compact':
        if (path.length > 0)
          this.store(compactionEntry(this.log, path.slice(0, 1 + (at % path.length))))
        return
      case 'undo':
      case 'redo': {
        const compaction =
          kind === 'undo' ? standingOn(this.log, path).compaction?.seq : redoable(this.log, path)
        if (compaction === undefined) return
        this.store({
          type: kind,
          seq: this.log.count,
          at: 0,
          compaction,
          action: `${this.log.count}`,
        })
        return
      }
      default:
        kind satisfies never
    }
  }

  append(texts: readonly string[]): void {
    const { entries, seqs } = appendMessages(this.log, this.tip, texts.map(draft), {
      at: 0,
      identityOf,
    })
    for (const entry of entries) this.store(entry)
    this.tip = seqs.at(-1) ?? this.tip
  }

  private captureOf(seq: number): LogEntry {
    const edit: Edit = { ...rewriteOf(seq), text: `captured ${seq}`, pass: 'squash-large-results' }
    return { type: 'capture', seq: this.log.count, at: 0, edits: [edit], aliases: [] }
  }

  private store(entry: LogEntry): void {
    this.log.add([entry])
    this.naive.entries.push(entry)
  }
}

const rewriteOf = (seq: number) =>
  ({ type: 'rewrite', seq, part: 0, reason: 'law', tokensBefore: 2, tokensAfter: 1 }) as const

function pairOf(list: readonly Happening[]): Pair {
  const pair = new Pair()
  for (const happening of list) pair.happen(happening)
  return pair
}

const tipsOf = (log: Log): readonly number[] =>
  log.entries().flatMap(({ type, seq }) => (type === 'message' ? [seq] : []))

/** What each path of a log projects to, told by what its messages say, so that logs can be compared. */
function projections(log: Log): readonly string[] {
  const said = (seq: number) => JSON.stringify(log.message(seq)?.native)
  const named = (value: unknown) =>
    JSON.stringify(value, (name, held) =>
      ['seq', 'into', 'after'].includes(name) && held >= 0 ? said(held) : held,
    )
  return tipsOf(log)
    .map((tip) => {
      const path = log.pathTo(tip)
      const { edits, joinDepth } = standingOn(log, path)
      return `${path.map(said)} ${named(edits)} ${joinDepth}`
    })
    .sort()
}

function law(name: string, check: (pair: Pair, list: readonly Happening[]) => void): void {
  const run = (list: readonly Happening[]) => check(pairOf(list), list)
  it(name, () => fc.assert(fc.property(happenings, run), lawParameters), lawTimeoutMs)
}

describe('a log', () => {
  law('projects each path as it is computed from scratch', ({ log, naive }) => {
    for (const tip of tipsOf(log)) {
      const path = log.pathTo(tip)
      expect(path).toEqual(naive.pathTo(tip))
      const standing = standingOn(log, path)
      expect(standing.compaction?.seq).toBe(naive.activeOn(path)?.seq)
      expect(isHeldByUndo(log, path)).toBe(naive.isHeldOn(path))
      expect(standing.joinDepth).toBe(naive.activeOn(path)?.depth)
      expect(naive.textsBy(path, standing.edits)).toEqual(naive.textsOn(path))
    }
  })

  law('knows its tree as it is computed from scratch', ({ log, naive }) => {
    for (const seq of [-1, ...tipsOf(log)]) {
      const below = naive.below(seq)
      expect(log.newestBelow(seq)).toBe(below.at(-1))
      expect(log.hasMessagesBelow(seq)).toBe(below.length > 0)
      expect(log.depthOf(seq)).toBe(naive.pathTo(seq).length - 1)
      expect(log.messagesTo(seq)).toBe(naive.pathTo(seq).length)
      expect(log.entries(seq + 1)).toEqual(naive.entries.filter((entry) => entry.seq > seq))
      for (const branch of below) expect(log.branchesAt(branch)).toEqual(below)
    }
  })

  law('says the same when its entries are added again, or come from a file', ({ log }) => {
    const entries = log.entries()
    const { checksum } = log
    log.add(entries)
    expect(log.entries()).toEqual(entries)
    expect(log.checksum).toBe(checksum)
    const cloned = new Log(structuredClone([...entries]))
    const parsed = new Log(JSON.parse(JSON.stringify(entries)) as LogEntry[])
    for (const other of [cloned, parsed]) {
      expect(other.checksum).toBe(checksum)
      expect(projections(other)).toEqual(projections(log))
    }
  })

  law('takes a message once, however often it is appended', (pair) => {
    const path = pair.log.pathTo(pair.tip)
    const { count } = pair.log
    const texts = path.map((seq) => pair.log.message(seq)?.native as { content: string })
    const tip = pair.tip
    pair.tip = -1
    pair.append(texts.map(({ content }) => content))
    expect(pair.log.count).toBe(count)
    expect(pair.tip).toBe(path.length > 0 ? tip : -1)
  })

  law('keeps the projection of each path where it is replayed into an empty one', ({ log }) => {
    const empty = new Log()
    const { added, numberOf } = replay(empty, log.entries(), { shared: 0, identityOf })
    expect(added).toEqual(log.entries())
    expect(log.entries().map(({ seq }) => numberOf(seq))).toEqual(log.entries().map((e) => e.seq))
    empty.add(added)
    expect(replay(empty, log.entries(), { shared: 0, identityOf }).added).toEqual([])
  })

  it(
    'keeps the projection of each path where it is replayed into another',
    () => {
      const run = (one: readonly Happening[], two: readonly Happening[]) => {
        const [mine, other] = [pairOf(one).log, pairOf(two).log]
        const tips = tipsOf(mine).map((tip) =>
          JSON.stringify(mine.pathTo(tip).map((s) => mine.message(s)?.native)),
        )
        const { added } = replay(other, mine.entries(), { shared: 0, identityOf })
        other.add(added)
        const known = tipsOf(other).map((tip) =>
          JSON.stringify(other.pathTo(tip).map((s) => other.message(s)?.native)),
        )
        expect(
          tips.filter((tip) => !known.includes(tip)),
          'every path is there',
        ).toEqual([])
        expect(new Set(known).size, 'none twice').toBe(known.length)
        expect(replay(other, mine.entries(), { shared: 0, identityOf }).added).toEqual([])
      }
      fc.assert(fc.property(happenings, happenings, run), lawParameters)
    },
    lawTimeoutMs,
  )
})
