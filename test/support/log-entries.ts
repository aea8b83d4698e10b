import type {
  ConversationHead,
  LogEntry,
  MessageEntry,
  ReplyDraft,
} from '../../src/core/log/entry.ts'
import type { CompactionReport } from '../../src/core/report.ts'

/** One-line builders for what stores keep. */

export function headOf(
  conversation: string,
  more: Partial<ConversationHead> = {},
): ConversationHead {
  return {
    conversation,
    incarnation: `${conversation}/1`,
    revision: 1,
    count: 0,
    checksum: '',
    tip: -1,
    createdAt: 1_000,
    updatedAt: 1_000,
    preview: '',
    deleted: false,
    room: undefined,
    ...more,
  }
}

export function messageEntry(seq: number, native?: unknown): MessageEntry {
  return {
    type: 'message',
    seq,
    at: 1_000 + seq,
    parent: seq - 1,
    key: `key ${seq}`,
    format: 'openai-chat',
    native: native ?? { role: 'user', content: `Message ${seq}` },
    origin: 'person',
  }
}

export function draftOf(turnId: string, content: string): ReplyDraft {
  const message = { role: 'assistant', content }
  return { turnId, parent: 0, format: 'openai-chat', message, at: 2_000 }
}

const report: CompactionReport = {
  trigger: 'threshold',
  outcome: 'compacted',
  reason: undefined,
  steps: [],
  tokensBefore: 900,
  tokensAfter: 400,
  overheadTokens: 10,
  floorTokens: 100,
  limitTokens: 500,
  keptPrefixTokens: 0,
  messagesBefore: 9,
  messagesAfter: 4,
  summary: undefined,
  summarizerCalls: 0,
  shortened: [],
  repaired: [],
  counting: 'exact',
  milliseconds: 3,
}

const removal = {
  type: 'remove',
  seq: 0,
  pass: 'replace',
  reason: 'folded',
  tokensBefore: 50,
  tokensAfter: 0,
} as const

/** An entry of every type, in the order of their `seq` from 0. A new type does not compile without one here. */
const byType: { readonly [Type in LogEntry['type']]: Extract<LogEntry, { type: Type }> } = {
  message: messageEntry(0),
  capture: {
    type: 'capture',
    seq: 1,
    at: 1,
    edits: [removal],
    aliases: [{ key: 'alias', seq: 0 }],
  },
  compaction: {
    type: 'compaction',
    seq: 2,
    at: 2,
    strategy: 'replace',
    trigger: 'threshold',
    through: 0,
    depth: 1,
    edits: [removal],
    aliases: [],
    report,
  },
  undo: { type: 'undo', seq: 3, at: 3, compaction: 2, action: 'a' },
  redo: { type: 'redo', seq: 4, at: 4, compaction: 2, action: 'b' },
  lowered: { type: 'lowered', seq: 5, at: 5, compaction: 2 },
  usage: {
    type: 'usage',
    seq: 6,
    at: 6,
    message: 0,
    model: undefined,
    inputTokens: 12,
    outputTokens: undefined,
    cacheReadTokens: 0,
    cacheWriteTokens: undefined,
    countedTokens: 11,
  },
  forgotten: { type: 'forgotten', seq: 7, at: 7, parent: 0, key: 'key 7' },
  void: { type: 'void', seq: 8, at: 8 },
}

export const entriesOfEveryType: readonly LogEntry[] = Object.values(byType)
