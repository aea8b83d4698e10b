import { adapterFor } from '../../adapters/index.ts'
import { asFields } from '../../adapters/native.ts'
import { viewOfUnits } from '../../adapters/read-request.ts'
import { applyEdits } from '../../core/edit.ts'
import { invalidConversation, TampError } from '../../core/errors.ts'
import { appendMessages, originOf } from '../../core/log/append.ts'
import type { LogEntry, UsageEntry } from '../../core/log/entry.ts'
import { identityOf, ROOT_KEY } from '../../core/log/key.ts'
import { Log } from '../../core/log/log.ts'
import { activeCompaction, redoable } from '../../core/log/project.ts'
import { replay } from '../../core/log/replay.ts'
import { readUsage } from '../../meter/usage.ts'
import { readConversationFile, writeConversationFile } from '../../storage/conversation-file.ts'
import type { CompactionRecord, DraftJob, ImportReport, SettleJob } from '../conversation-jobs.ts'
import { runSliced } from '../schedule.ts'
import type { EngineConversation } from './conversation.ts'
import { findMessage, forgetRef, forgetting, isForgotten } from './forget.ts'
import type { OpenLog } from './open-log.ts'
import { activePath, compactionRecords } from './records.ts'
import { countingEntries, countsOf } from './stored-counts.ts'
import { identityOfEntry, readEntry } from './units.ts'

/** Keeps a reply as far as it came. */
export async function keepDraft({ opened }: EngineConversation, job: DraftJob): Promise<undefined> {
  const { turnId, parentKey, format, message } = job
  await opened.change({ natives: [message] }, (log) => ({
    putDrafts: [{ turnId, parent: seqOf(log, parentKey), format, message, at: Date.now() }],
  }))
  return undefined
}

/** Stores a reply in the place of its draft. Gives back its `seq`. */
export async function settle(conversation: EngineConversation, job: SettleJob): Promise<number> {
  const { opened } = conversation
  const { turnId, parentKey, format, message } = job
  const adapter = adapterFor({}, format)
  // As in a walk: a part without a number would count as one that an edit made.
  const unit = adapter.readMessage(asFields(message, 'message'), opened.log.count, 'message')
  const draft = {
    format,
    identity: identityOf(format, unit),
    native: message,
    origin: originOf(unit),
    counts: countsOf(unit, conversation.counting),
  }
  let seq = -1
  await opened.change({ natives: [message] }, (log, drafts) => {
    const parent = seqOf(log, parentKey)
    const at = Date.now()
    const appended = appendMessages(log, parent, [draft], { at, identityOf: identityOfEntry })
    seq = appended.seqs[0] ?? -1
    const entry = usageEntry(job, log.count + appended.entries.length, seq, at)
    const usage = entry && isKnownUsage(log, entry) ? undefined : entry
    const gone = drafts.filter((one) => one.turnId === turnId || one.parent === parent)
    // The path may have gone on meanwhile: a reply that comes late is a branch, not the end of it.
    const isNext = (opened.head?.tip ?? -1) === parent
    return {
      add: [...appended.entries, ...(usage ? [usage] : [])],
      dropDrafts: gone.map((one) => one.turnId),
      ...(isNext ? { tip: seq } : {}),
      ...(conversation.room ? { room: conversation.room } : {}),
    }
  })
  return seq
}

function usageEntry(
  job: SettleJob,
  seq: number,
  message: number,
  at: number,
): UsageEntry | undefined {
  const { model, countedTokens } = job
  const usage = readUsage(job.usage)
  return usage && { type: 'usage', seq, at, message, model, countedTokens, ...usage }
}

/** A call that was repeated because its answer got lost must not count twice. */
function isKnownUsage(log: Log, entry: UsageEntry): boolean {
  const same = (other: LogEntry) => JSON.stringify({ ...other, seq: 0, at: 0 })
  return log
    .entries(entry.message)
    .some((other) => other.type === 'usage' && same(other) === same(entry))
}

/** The message that a reply answers, by its key: numbers change where another tab wrote meanwhile. */
function seqOf(log: Log, key: string): number {
  const seq = key === ROOT_KEY ? -1 : log.seqOfKey(key)
  if (seq !== undefined) return seq
  const message = 'the message that was answered is not in the conversation'
  throw new TampError('invalid-conversation', message, { path: 'parent', problem: 'is gone' })
}

/** Takes the active compaction back. */
export function undo(opened: OpenLog, action: string): Promise<CompactionRecord | undefined> {
  return mark(opened, { type: 'undo', action }, (log, path) => activeCompaction(log, path)?.seq)
}

/** Brings back what was undone last. */
export function redo(opened: OpenLog, action: string): Promise<CompactionRecord | undefined> {
  return mark(opened, { type: 'redo', action }, redoable)
}

async function mark(
  opened: OpenLog,
  { type, action }: { readonly type: 'undo' | 'redo'; readonly action: string },
  find: (log: Log, path: readonly number[]) => number | undefined,
): Promise<CompactionRecord | undefined> {
  let marked: number | undefined
  await opened.change({ natives: [] }, (log) => {
    const done = log.markOf(action)
    marked = done ?? find(log, activePath(opened))
    if (marked === undefined || done !== undefined) return undefined
    return { add: [{ type, seq: log.count, at: Date.now(), compaction: marked, action }] }
  })
  const index = opened.log.compactions().findIndex(({ seq }) => seq === marked)
  return compactionRecords(opened.log, activePath(opened))[index]
}

/** Gives back the whole conversation as the text of a file. */
export function exportLog({ log, head, drafts }: OpenLog): string {
  return writeConversationFile(head, { entries: log.entries(), drafts })
}

/** Adds what a file holds, in one change or not at all. */
export async function importFile(
  { opened, counting }: EngineConversation,
  text: string,
): Promise<ImportReport> {
  const file = readConversationFile(text)
  checkEdits(new Log(file.entries))
  let entries = file.entries
  let added: readonly LogEntry[] = []
  const natives = entries.flatMap((entry) => ('native' in entry ? [entry.native] : []))
  const ready = async () => {
    entries = await runSliced(countingEntries(entries, counting))
    return { natives }
  }
  await opened.change(ready, (log) => {
    const replayed = replay(log, entries, { shared: 0, identityOf: identityOfEntry })
    added = replayed.added
    if (added.length === 0) return undefined
    // An empty conversation shows what came; one that is under way stays where it is.
    if (opened.head && opened.head.tip !== -1) return { add: added }
    const putDrafts = file.drafts.map((draft) => ({
      ...draft,
      parent: replayed.numberOf(draft.parent),
    }))
    return { add: added, putDrafts, tip: replayed.numberOf(file.tip) }
  })
  const count = (entries: readonly LogEntry[], type: LogEntry['type']) =>
    entries.filter((entry) => entry.type === type).length
  const addedMessages = count(added, 'message')
  return {
    addedMessages,
    addedCompactions: count(added, 'compaction'),
    knownMessages: count(entries, 'message') - addedMessages,
  }
}

/** Edits that do not fit their messages would break every request from then on. */
function checkEdits(log: Log): void {
  const captures = log.captures().map(({ seq, edits }) => {
    const seqs = edits.map((edit) => ('seq' in edit ? edit.seq : -1))
    return { seq, edits, through: Math.max(...seqs) }
  })
  for (const { seq, through, edits } of [...log.compactions(), ...captures]) {
    if (edits.length === 0) continue
    const entries = log.pathTo(through).flatMap((at) => log.message(at) ?? [])
    const [first] = entries
    if (!first) throw unsound(seq, 'covers nothing')
    const adapter = adapterFor({}, first.format)
    const head = adapter.readHead({ [adapter.listField]: [] })
    try {
      applyEdits(
        viewOfUnits(
          adapter,
          entries.map((entry) => log.unitOf(entry, readEntry)),
          head,
        ),
        edits,
      )
    } catch (error) {
      throw unsound(seq, String(error))
    }
  }
}

function unsound(seq: number, problem: string): TampError {
  return invalidConversation(`entries (seq ${seq})`, problem)
}

/** Really forgets a message. Gives back whether it was found. */
export async function forget(opened: OpenLog, named: number | string | object): Promise<boolean> {
  const ref = forgetRef(named)
  let found = false
  // By its key: numbers change where the log is stored behind what another tab wrote.
  const key = ref.type === 'seq' ? opened.log.message(ref.seq)?.key : undefined
  await opened.change({ natives: [], durableOnly: true }, (log) => {
    const seq = key === undefined ? findMessage(log, ref) : log.seqOfKey(key)
    const isThere = seq !== undefined && log.message(seq) !== undefined
    found = isThere || isForgotten(log, ref)
    return isThere ? { replace: forgetting(log, seq) } : undefined
  })
  return found
}
