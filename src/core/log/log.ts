import type { Unit } from '../model.ts'
import type {
  Alias,
  CaptureEntry,
  CompactionEntry,
  ForgottenEntry,
  LogEntry,
  MessageEntry,
} from './entry.ts'
import { extendChecksum, ROOT_KEY } from './key.ts'

/** An entry that other messages may hang below. */
export type TreeEntry = MessageEntry | ForgottenEntry

/** The log of one conversation in memory: entries in order, and the tree that its messages make. */
export class Log {
  private readonly bySeq: (LogEntry | undefined)[] = []
  private readonly inOrder: LogEntry[] = []
  private readonly byKey = new Map<string, number>()
  private readonly byAlias = new Map<string, number>()
  /** The newest message below each, at its `seq` + 1: the place before the first one is -1. */
  private readonly newest: (number | undefined)[] = []
  /** The message that came before each in the same place. */
  private readonly older: (number | undefined)[] = []
  /** Depth of each message: 0 for a first one. */
  private readonly depths: (number | undefined)[] = []
  /** Messages on the path to each, stones left out. */
  private readonly lengths: (number | undefined)[] = []
  private lastPath: readonly number[] = []
  /** What messages were read as, at their `seq`. */
  private readonly units: (Unit | undefined)[] = []
  private readonly compacted: CompactionEntry[] = []
  private readonly captured: CaptureEntry[] = []
  /** Undo, redo and compactions in the order in which they happened, as the `seq` of the compaction. */
  private readonly history: { readonly type: 'made' | 'undo' | 'redo'; readonly seq: number }[] = []
  private readonly marks = new Map<string, number>()
  private readonly lowered = new Set<number>()
  private sum = ''
  private next = 0
  private viewChanged = 0

  constructor(entries: readonly LogEntry[] = []) {
    this.add(entries)
  }

  /** Entries in the log; also the `seq` of the next one. */
  get count(): number {
    return this.next
  }

  /** Another number whenever a path may project to something else than before. */
  get viewChanges(): number {
    return this.viewChanged
  }

  get checksum(): string {
    return this.sum
  }

  /** Adds entries, oldest first; those it has already change nothing. Throws a RangeError for one out of order. */
  add(entries: readonly LogEntry[]): void {
    for (const entry of entries) {
      if (this.bySeq[entry.seq]) continue
      if (entry.seq < this.next) throw new RangeError(`entry ${entry.seq} behind ${this.next - 1}`)
      this.bySeq[entry.seq] = entry
      this.inOrder.push(entry)
      this.next = entry.seq + 1
      this.sum = extendChecksum(this.sum, fingerprintOf(entry))
      this.index(entry)
    }
  }

  private index(entry: LogEntry): void {
    switch (entry.type) {
      case 'message':
      case 'forgotten':
        this.hang(entry)
        return
      case 'capture':
        if (entry.edits.length > 0) this.viewChanged++
        this.captured.push(entry)
        this.name(entry.aliases)
        return
      case 'compaction':
        this.viewChanged++
        this.compacted.push(entry)
        this.history.push({ type: 'made', seq: entry.seq })
        this.name(entry.aliases)
        return
      case 'undo':
      case 'redo':
        this.viewChanged++
        this.history.push({ type: entry.type, seq: entry.compaction })
        this.marks.set(entry.action, entry.compaction)
        return
      case 'lowered':
        this.lowered.add(entry.compaction)
        return
      case 'usage':
      case 'void':
        return
      default:
        entry satisfies never
    }
  }

  private hang(entry: TreeEntry): void {
    this.byKey.set(entry.key, entry.seq)
    const { seq, parent } = entry
    this.older[seq] = this.newest[parent + 1]
    this.newest[parent + 1] = seq
    this.depths[seq] = this.depthOf(parent) + 1
    this.lengths[seq] = this.messagesTo(parent) + (entry.type === 'message' ? 1 : 0)
  }

  /** Makes Tamp's own output known under another name. Names of the session need not be stored. */
  name(aliases: readonly Alias[]): void {
    for (const { key, seq } of aliases) this.byAlias.set(key, seq)
  }

  /** Gives back the entries from a `seq` on, oldest first. */
  entries(from = 0): readonly LogEntry[] {
    if (from >= this.next) return []
    if (from === 0) return this.inOrder
    const before = this.inOrder.findLastIndex((entry) => entry.seq < from)
    return this.inOrder.slice(before + 1)
  }

  /** Gives back count and checksum as they would be with more entries. */
  extended(entries: readonly LogEntry[]): { readonly count: number; readonly checksum: string } {
    const sum = (checksum: string, entry: LogEntry) =>
      extendChecksum(checksum, fingerprintOf(entry))
    return {
      count: (entries.at(-1)?.seq ?? this.next - 1) + 1,
      checksum: entries.reduce(sum, this.sum),
    }
  }

  /** Gives back the message at a `seq`, or the stone in its place. */
  treeEntry(seq: number): TreeEntry | undefined {
    const entry = this.bySeq[seq]
    return entry?.type === 'message' || entry?.type === 'forgotten' ? entry : undefined
  }

  message(seq: number): MessageEntry | undefined {
    const entry = this.bySeq[seq]
    return entry?.type === 'message' ? entry : undefined
  }

  /** Gives back what `read` makes of a message of this log: the same unit each time, as it is read once. */
  unitOf(entry: MessageEntry, read: (entry: MessageEntry) => Unit): Unit {
    const unit = this.units[entry.seq] ?? read(entry)
    this.units[entry.seq] = unit
    return unit
  }

  /** Gives back the key of a message; of the place before the first one for -1. */
  keyAt(seq: number): string {
    return this.treeEntry(seq)?.key ?? ROOT_KEY
  }

  seqOfKey(key: string): number | undefined {
    return this.byKey.get(key)
  }

  /** Gives back the original that a message of Tamp's own output stands for. */
  seqOfAlias(key: string): number | undefined {
    return this.byAlias.get(key)
  }

  /** Gives back the path that ends with a message: `seq` by depth, from the first message on. Empty for -1. */
  pathTo(seq: number): readonly number[] {
    if (this.lastPath.at(-1) === seq) return this.lastPath
    const behind: number[] = []
    let at = seq
    // What it shares with the path that was asked for last is not walked again.
    while (at >= 0 && !this.isOn(this.lastPath, at)) {
      behind.push(at)
      at = this.treeEntry(at)?.parent ?? -1
    }
    this.lastPath = this.lastPath.slice(0, this.depthOf(at) + 1).concat(behind.reverse())
    return this.lastPath
  }

  /** Gives back the path that leads through a message and takes the newest branch at each fork behind it. */
  newestPathThrough(seq: number): readonly number[] {
    let tip = seq
    for (let newest = this.newestBelow(tip); newest !== undefined; newest = this.newestBelow(tip)) {
      tip = newest
    }
    return this.pathTo(tip)
  }

  /** Gives back the newest of the messages that follow one; of the first messages for -1. */
  newestBelow(seq: number): number | undefined {
    return this.newest[seq + 1]
  }

  /** Gives back the messages that stand in the same place, this one included, oldest first. */
  branchesAt(seq: number): readonly number[] {
    const parent = this.treeEntry(seq)?.parent
    const branches: number[] = []
    for (
      let at = parent === undefined ? undefined : this.newestBelow(parent);
      at !== undefined;
      at = this.older[at]
    )
      branches.push(at)
    return branches.reverse()
  }

  hasMessagesBelow(seq: number): boolean {
    return this.newestBelow(seq) !== undefined
  }

  /** Gives back the depth of a message: 0 for a first one, -1 for one that is not there. */
  depthOf(seq: number): number {
    return this.depths[seq] ?? -1
  }

  /** Gives back how many messages lie on the path to one, itself included; what was forgotten does not count. */
  messagesTo(seq: number): number {
    return this.lengths[seq] ?? 0
  }

  /** True where the message lies on the path. */
  isOn(path: readonly number[], seq: number): boolean {
    return path[this.depthOf(seq)] === seq
  }

  compactions(): readonly CompactionEntry[] {
    return this.compacted
  }

  captures(): readonly CaptureEntry[] {
    return this.captured
  }

  isUndone(compaction: number): boolean {
    const last = this.history.findLast(({ seq }) => seq === compaction)
    return last?.type === 'undo'
  }

  /** Gives back the compaction that an undo or redo of this name was about. */
  markOf(action: string): number | undefined {
    return this.marks.get(action)
  }

  /** True where the conversation was under the trigger since this compaction had ended above it. */
  isLowered(compaction: number): boolean {
    return this.lowered.has(compaction)
  }

  /** Gives back what happened to the compactions that hold on a path, oldest first. */
  historyOn(path: readonly number[]): readonly { readonly type: string; readonly seq: number }[] {
    const holding = new Set(this.compactionsOn(path).map((compaction) => compaction.seq))
    return this.history.filter(({ seq }) => holding.has(seq))
  }

  /** Gives back the compactions that hold on a path, undone ones included, oldest first. */
  compactionsOn(path: readonly number[]): readonly CompactionEntry[] {
    return this.compacted.filter(({ through }) => this.isOn(path, through))
  }
}

/** What of an entry goes into the checksum: place and kind, of messages the key, of what may be replaced in part its size. */
function fingerprintOf(entry: LogEntry): string {
  const { seq, type } = entry
  if ('key' in entry) return `${seq} ${type} ${entry.key}`
  return entry.type === 'capture' ? `${seq} ${type} ${entry.edits.length}` : `${seq} ${type}`
}
