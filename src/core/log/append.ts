import type { Format, Unit } from '../model.ts'
import type { MessageCounts, MessageEntry, Origin } from './entry.ts'
import { keyOf } from './key.ts'
import type { Log } from './log.ts'

/** A message that may be new to the log. */
export interface MessageDraft {
  readonly format: Format
  /** What it means (`identityOf`). */
  readonly identity: string
  readonly native: unknown
  readonly origin: Origin
  readonly counts?: MessageCounts | undefined
}

/** Says what a stored message means, to tell equal hashes apart. */
export type IdentityOf = (entry: MessageEntry) => string

/** A place on the log that an incoming message has, or would get. */
export interface Place {
  /** `undefined` where the message is new. */
  readonly seq: number | undefined
  readonly key: string
}

/** Gives back the place of a message below its parent: the one that is there already, or the key that it would get. */
export function placeOf(
  log: Log,
  parentKey: string,
  identity: string,
  identityOf: IdentityOf,
): Place {
  for (let attempt = 0; ; attempt++) {
    const key = keyOf(parentKey, identity, attempt)
    const seq = log.seqOfKey(key)
    if (seq === undefined) return { seq, key }
    const known = log.message(seq)
    // A stone has nothing left to compare: its key alone speaks.
    if (!known || identityOf(known) === identity) return { seq, key }
  }
}

/**
 * Gives back entries for a row of messages that follow one another behind `after`, and the `seq` of each. Messages
 * that are there already get no entry: appending twice changes nothing.
 */
export function appendMessages(
  log: Log,
  after: number,
  drafts: readonly MessageDraft[],
  { at, identityOf }: { readonly at: number; readonly identityOf: IdentityOf },
): { readonly entries: readonly MessageEntry[]; readonly seqs: readonly number[] } {
  const entries: MessageEntry[] = []
  const seqs: number[] = []
  let parent = after
  let parentKey = log.keyAt(after)
  for (const { identity, ...draft } of drafts) {
    const place = placeOf(log, parentKey, identity, identityOf)
    const seq = place.seq ?? log.count + entries.length
    if (place.seq === undefined) {
      entries.push(entryOf(draft, { seq, at, parent, key: place.key }))
    }
    seqs.push(seq)
    parent = seq
    parentKey = place.seq === undefined ? place.key : log.keyAt(seq)
  }
  return { entries, seqs }
}

function entryOf(
  { format, native, origin, counts }: Omit<MessageDraft, 'identity'>,
  place: Pick<MessageEntry, 'seq' | 'at' | 'parent' | 'key'>,
): MessageEntry {
  return { type: 'message', ...place, format, native, origin, ...(counts ? { counts } : {}) }
}

/** Gives back who brought a message: results come from tools, system text from the app. */
export function originOf(unit: Unit): Origin {
  if (unit.parts.some((part) => part.type === 'tool-result')) return 'tool'
  switch (unit.role) {
    case 'user':
      return 'person'
    case 'assistant':
      return 'model'
    case 'tool':
      return 'tool'
    case 'system':
      return 'app'
    default:
      return unit.role satisfies never
  }
}

/** Gives back the unit with its place in the log. */
export function seated(unit: Unit, seq: number): Unit {
  if (unit.seq === seq) return unit
  return { ...unit, seq, parts: unit.parts.map((part) => ({ ...part, seq })) }
}
