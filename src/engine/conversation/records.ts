import type { CompactionEntry, ConversationHead, ReplyDraft } from '../../core/log/entry.ts'
import type { Log } from '../../core/log/log.ts'
import { activeCompaction, redoable } from '../../core/log/project.ts'
import type {
  CompactionRecord,
  ConversationLook,
  ConversationSummary,
  TranscriptMessage,
} from '../conversation-jobs.ts'
import type { OpenLog } from './open-log.ts'

/** Gives back the path that ends with the newest request or reply. */
export function activePath({ log, head }: OpenLog): readonly number[] {
  return log.pathTo(head?.tip ?? -1)
}

/** Gives back a path word for word; a reply that never came to its end stands behind the message it answers. */
export function transcriptOf(
  log: Log,
  path: readonly number[],
  interrupted: readonly ReplyDraft[],
): readonly TranscriptMessage[] {
  const messages = path.flatMap((seq): readonly TranscriptMessage[] => {
    const entry = log.message(seq)
    if (!entry) return []
    const { native: message, format, origin, at } = entry
    const branches = log.branchesAt(seq).filter((other) => log.message(other))
    return [{ seq, message, format, origin, interrupted: false, at, branches }]
  })
  const tip = path.at(-1) ?? -1
  const cut = interrupted.filter((draft) => draft.parent === tip)
  return [...messages, ...cut.map(transcriptDraft)]
}

function transcriptDraft({ message, format, at }: ReplyDraft): TranscriptMessage {
  return { seq: undefined, message, format, origin: 'model', interrupted: true, at, branches: [] }
}

/** Gives back all compactions, oldest first, as they stand on a path. */
export function compactionRecords(log: Log, path: readonly number[]): readonly CompactionRecord[] {
  const active = activeCompaction(log, path)
  return log.compactions().map((entry, index) => ({
    epoch: index + 1,
    trigger: entry.trigger,
    report: entry.report,
    active: entry === active,
    undone: log.isUndone(entry.seq),
    through: entry.through,
    foldedThrough: foldedThrough(log, entry),
    at: entry.at,
  }))
}

function foldedThrough(log: Log, { edits }: CompactionEntry): number | undefined {
  const gone = edits.flatMap((edit) =>
    edit.type === 'remove' && edit.part === undefined ? [edit.seq] : [],
  )
  return gone.sort((a, b) => log.depthOf(a) - log.depthOf(b)).at(-1)
}

/** Gives back what a conversation looks like. */
export function lookOf(opened: OpenLog): ConversationLook {
  const { log, head, incarnation, state } = opened
  const path = activePath(opened)
  return {
    incarnation,
    storage: state,
    messages: log.messagesTo(head?.tip ?? -1),
    compactions: log.compactions().length,
    canUndo: activeCompaction(log, path) !== undefined,
    canRedo: redoable(log, path) !== undefined,
    revision: head?.revision ?? 0,
  }
}

/** Gives back a conversation as a row of the list. */
export function summaryOf(head: ConversationHead): ConversationSummary {
  const { conversation: id, preview, createdAt, updatedAt } = head
  return { id, preview, createdAt, updatedAt }
}
