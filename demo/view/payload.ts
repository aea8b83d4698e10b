import type { NativeMessage } from '../chat/opening.ts'
import { contentText, findCheckpoint, type SentRequest } from '../chat/sent.ts'
import { formatCount, formatNumber } from './numbers.ts'

/**
 * What became of a message between the full history and the request that left. `joined` is one whose
 * words stand in the message of the checkpoint; `folded` one that only the checkpoint speaks of.
 */
export type Fate = 'as it was' | 'changed' | 'joined' | 'folded' | 'added'

export interface PayloadMessage {
  readonly role: string
  readonly fate: Fate
  readonly json: string
}

/** What each of them means, for the person. */
export const fateWords: Readonly<Record<Fate, string>> = {
  'as it was': 'sent unchanged',
  changed: 'sent with parts left out or shortened, or with another message joined to it',
  joined: 'sent word for word, inside the message that holds the checkpoint',
  folded: 'not sent: the checkpoint, a summary, stands for it',
  added: 'holds the checkpoint, which Tamp wrote in the place of the folded messages',
}

/** Gives back those that occur, in the order of `fateWords`. */
export function fatesIn(sides: ReturnType<typeof payloadSides>): readonly Fate[] {
  const all = [...sides.sent.messages, ...sides.history.messages].map(({ fate }) => fate)
  // The keys of `fateWords` are all fates and nothing else.
  return (Object.keys(fateWords) as Fate[]).filter((fate) => all.includes(fate))
}

/** One side of the inspector. */
export interface PayloadSide {
  readonly title: string
  /** `12 messages, 4,102 tokens`. */
  readonly counts: string
  readonly messages: readonly PayloadMessage[]
  /** The request without its messages. */
  readonly otherFields: string
}

/**
 * Gives back both sides: the request that left, and the full history beside it, whose tokens are `undefined`
 * as long as they are not counted.
 */
export function payloadSides(
  { full, fitted, report }: SentRequest,
  historyTokens: number | undefined,
): {
  readonly sent: PayloadSide
  readonly history: PayloadSide
} {
  const fates = matchMessages(full.messages, fitted.messages)
  return {
    sent: side('What was sent', fitted, { fates: fates.fitted, tokens: report?.tokensAfter }),
    history: side('The full history', full, { fates: fates.full, tokens: historyTokens }),
  }
}

function side(
  title: string,
  { messages, ...fields }: SentRequest['full'],
  { fates, tokens }: { fates: readonly Fate[]; tokens: number | undefined },
): PayloadSide {
  const counted = tokens === undefined ? '' : `, ${formatNumber(tokens)} tokens`
  return {
    title,
    counts: formatCount(messages.length, 'message') + counted,
    messages: messages.map((message, index) => ({
      role: message.role,
      fate: fates[index] ?? 'as it was',
      json: JSON.stringify(message, undefined, 2),
    })),
    otherFields: JSON.stringify(fields, undefined, 2),
  }
}

/** Equal messages match wherever they stand; the others of the kept tail pair by their distance from the end. */
function matchMessages(full: readonly NativeMessage[], fitted: readonly NativeMessage[]) {
  const fullKeys = full.map((message) => JSON.stringify(message))
  const fittedKeys = fitted.map((message) => JSON.stringify(message))
  const sentKeys = new Set(fittedKeys)
  const heldKeys = new Set(fullKeys)
  const checkpoint = findCheckpoint(fitted)
  const holder = fitted[checkpoint]
  const tailLength = fitted.length - checkpoint - 1
  const fateOfOther = (message: NativeMessage, index: number): Fate => {
    const text = contentText(message)
    const isJoined = text !== '' && holder !== undefined && contentText(holder).includes(text)
    if (isJoined) return 'joined'
    return full.length - index <= tailLength ? 'changed' : 'folded'
  }
  return {
    full: full.map((message, index): Fate => {
      return sentKeys.has(fullKeys[index] ?? '') ? 'as it was' : fateOfOther(message, index)
    }),
    fitted: fitted.map((_, index): Fate => {
      if (heldKeys.has(fittedKeys[index] ?? '')) return 'as it was'
      return index === checkpoint ? 'added' : 'changed'
    }),
  }
}
