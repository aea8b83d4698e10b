import * as v from 'valibot'
import { invalidConversation, TampError } from '../core/errors.ts'
import type { ConversationHead, LogEntry, ReplyDraft } from '../core/log/entry.ts'
import { Log } from '../core/log/log.ts'
import { plainCopy } from '../core/plain.ts'

/** The format of exported files; a file with a higher number is of a later Tamp and is not read. */
const FILE_VERSION = 1

/** What an exported file holds. */
export interface ConversationFile {
  readonly entries: readonly LogEntry[]
  readonly drafts: readonly ReplyDraft[]
  /** `seq` of the message that the active path ends with; -1 for none. */
  readonly tip: number
}

/** Gives back a conversation as the text of a file: the whole log, in order. */
export function writeConversationFile(
  head: ConversationHead | undefined,
  { entries, drafts }: Omit<ConversationFile, 'tip'>,
): string {
  const { conversation = '', createdAt = 0, checksum = '', tip = -1 } = head ?? {}
  const written = entries.map(withoutCounts)
  const file = {
    tamp: FILE_VERSION,
    conversation,
    createdAt,
    checksum,
    tip,
    entries: written,
    drafts,
  }
  return JSON.stringify(file)
}

/** Whoever reads the file counts for itself: a count that came from elsewhere is not to be trusted. */
function withoutCounts(entry: LogEntry): LogEntry {
  if (entry.type !== 'message') return entry
  const { counts: _, ...written } = entry
  return written
}

const number = v.pipe(v.number(), v.finite())
const seq = v.pipe(v.number(), v.integer(), v.minValue(0))
const place = v.pipe(v.number(), v.integer(), v.minValue(-1))
const base = { seq, at: number }
const format = v.picklist(['openai-chat', 'anthropic-messages'])
/** Any object: what is in it is its provider's affair, and stays as it is. */
const native = v.custom<object>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'is no message',
)
const editBase = { pass: v.string(), reason: v.string(), tokensBefore: number, tokensAfter: number }
const editPlace = v.union([
  v.strictObject({ into: seq, at: v.picklist(['start', 'end']) }),
  v.strictObject({ after: place, role: v.picklist(['system', 'user', 'assistant', 'tool']) }),
])
const content = v.variant('type', [
  v.object({ type: v.literal('text'), text: v.string() }),
  v.object({
    type: v.literal('tool-result'),
    callId: v.string(),
    text: v.string(),
    isError: v.optional(v.boolean()),
  }),
])
const rewrite = v.object({
  type: v.literal('rewrite'),
  seq,
  part: seq,
  text: v.string(),
  ...editBase,
})
const edit = v.variant('type', [
  rewrite,
  v.object({ type: v.literal('remove'), seq, part: v.optional(seq), ...editBase }),
  v.object({ type: v.literal('insert'), place: editPlace, content, ...editBase }),
  v.object({ type: v.literal('move'), seq, part: v.optional(seq), place: editPlace, ...editBase }),
  v.object({ type: v.literal('rename'), seq, part: seq, callId: v.string(), ...editBase }),
  v.object({ type: v.literal('unmark'), seq, part: seq, ...editBase }),
])
const edits = v.array(edit)
const aliases = v.array(v.object({ key: v.string(), seq }))
const trigger = v.picklist(['threshold', 'overflow', 'manual', 'background'])
const tokens = v.optional(number)
const checks = v.array(v.looseObject({ name: v.string(), verdict: v.string() }))
const report = v.looseObject({
  trigger,
  outcome: v.picklist(['compacted', 'unchanged', 'nothing-to-do', 'failed']),
  reason: v.optional(v.string()),
  steps: v.array(v.looseObject({ name: v.string(), changedParts: number, freedTokens: number })),
  tokensBefore: number,
  tokensAfter: number,
  overheadTokens: number,
  floorTokens: number,
  limitTokens: number,
  keptPrefixTokens: number,
  messagesBefore: number,
  messagesAfter: number,
  summary: v.optional(
    v.looseObject({
      source: v.string(),
      text: v.string(),
      tokens: number,
      replacedTokens: number,
      checks,
    }),
  ),
  summarizerCalls: number,
  shortened: v.array(v.looseObject({ seq: number, what: v.string() })),
  repaired: v.array(v.string()),
  counting: v.picklist(['exact', 'estimated']),
  milliseconds: number,
})

const entry = v.variant('type', [
  v.object({
    type: v.literal('message'),
    ...base,
    parent: place,
    key: v.string(),
    format,
    native,
    origin: v.picklist(['person', 'model', 'tool', 'app']),
  }),
  v.object({ type: v.literal('capture'), ...base, edits: v.array(rewrite), aliases }),
  v.object({
    type: v.literal('compaction'),
    ...base,
    strategy: v.string(),
    trigger,
    through: place,
    depth: seq,
    edits,
    aliases,
    report,
  }),
  v.object({ type: v.literal('undo'), ...base, compaction: seq, action: v.string() }),
  v.object({ type: v.literal('redo'), ...base, compaction: seq, action: v.string() }),
  v.object({ type: v.literal('lowered'), ...base, compaction: seq }),
  v.object({
    type: v.literal('usage'),
    ...base,
    message: seq,
    model: v.optional(v.string()),
    inputTokens: tokens,
    outputTokens: tokens,
    cacheReadTokens: tokens,
    cacheWriteTokens: tokens,
    countedTokens: number,
  }),
  v.object({ type: v.literal('forgotten'), ...base, parent: place, key: v.string() }),
  v.object({ type: v.literal('void'), ...base }),
])
const draft = v.object({ turnId: v.string(), parent: place, format, message: native, at: number })
const file = v.looseObject({
  entries: v.array(entry),
  drafts: v.array(draft),
  checksum: v.string(),
})

/**
 * Reads an exported file. Throws `newer-version` for a file of a later Tamp, and `invalid-conversation` with
 * `details.path` for anything that is no whole, sound file.
 */
export function readConversationFile(text: string): ConversationFile {
  const value = parse(text)
  const { tamp } = (typeof value === 'object' && value !== null ? value : {}) as { tamp?: unknown }
  if (typeof tamp !== 'number')
    throw invalidConversation('tamp', 'is missing: this is no exported conversation')
  if (!(tamp >= FILE_VERSION))
    throw invalidConversation('tamp', `is ${tamp}, which no version of Tamp wrote`)
  if (tamp > FILE_VERSION) {
    const message = `the file has version ${tamp}; this Tamp reads ${FILE_VERSION}`
    throw new TampError('newer-version', message, { version: tamp, readable: FILE_VERSION })
  }
  const read = v.safeParse(file, value)
  if (!read.success) {
    const [issue] = read.issues
    throw invalidConversation(v.getDotPath(issue) ?? 'file', issue.message)
  }
  // The schema spells out the very types; absent fields are `undefined` in both.
  const { entries, drafts, checksum, tip } = read.output as unknown as ConversationFile & {
    readonly checksum: string
  }
  const messages = checkOrder(entries)
  if (!messages.has(tip)) throw invalidConversation('tip', 'speaks of nothing')
  const loose = drafts.findIndex(({ parent }) => !messages.has(parent))
  if (loose !== -1) throw invalidConversation(`drafts.${loose}.parent`, 'speaks of nothing')
  for (const [index, one] of [...entries, ...drafts].entries()) checkMessage(one, index)
  if (new Log(entries).checksum !== checksum)
    throw invalidConversation('checksum', 'does not match the entries')
  return { entries, drafts, tip }
}

/** What `prepare` would refuse is not let in by a file: messages that nest without end, for one. */
function checkMessage(one: LogEntry | ReplyDraft, index: number): void {
  if ('native' in one) plainCopy(one.native, `entries.${index}.native`)
  if ('turnId' in one) plainCopy(one.message, 'drafts.message')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalidConversation('file', `is no JSON: ${String(error)}`)
  }
}

/**
 * Each entry speaks of earlier ones alone: of messages as messages, of compactions as compactions. Gives back the
 * messages, with the place before the first one.
 */
function checkOrder(entries: readonly LogEntry[]): ReadonlySet<number> {
  const messages = new Set([-1])
  const compactions = new Set<number>()
  let last = -1
  for (const [index, one] of entries.entries()) {
    if (one.seq <= last) throw invalidConversation(`entries.${index}.seq`, 'is out of order')
    for (const [name, known, reference] of referencesOf(one, messages, compactions)) {
      if (!known.has(reference))
        throw invalidConversation(`entries.${index}.${name}`, 'speaks of nothing')
    }
    if (one.type === 'message' || one.type === 'forgotten') messages.add(one.seq)
    if (one.type === 'compaction' || one.type === 'void') compactions.add(one.seq)
    last = one.seq
  }
  return messages
}

function referencesOf(
  one: LogEntry,
  messages: ReadonlySet<number>,
  compactions: ReadonlySet<number>,
): readonly (readonly [string, ReadonlySet<number>, number])[] {
  switch (one.type) {
    case 'message':
    case 'forgotten':
      return [['parent', messages, one.parent]]
    case 'compaction':
      return [['through', messages, one.through], ...editReferences(one.edits, messages)]
    case 'capture':
      return editReferences(one.edits, messages)
    case 'undo':
    case 'redo':
    case 'lowered':
      return [['compaction', compactions, one.compaction]]
    case 'usage':
      return [['message', messages, one.message]]
    case 'void':
      return []
    default:
      return one satisfies never
  }
}

function editReferences(
  list: Extract<LogEntry, { type: 'capture' }>['edits'],
  messages: ReadonlySet<number>,
): readonly (readonly [string, ReadonlySet<number>, number])[] {
  return list.flatMap((one, index) => {
    const at = 'place' in one ? ('into' in one.place ? one.place.into : one.place.after) : -1
    const target = 'seq' in one ? one.seq : -1
    return [at, target].map((reference) => [`edits.${index}`, messages, reference] as const)
  })
}
