import { CHECKPOINT_END, CHECKPOINT_START, type CompactionReport } from 'tamp'
import type { NativeMessage } from './opening.ts'
import type { ChatRequestBody } from './request.ts'

/** One request that left, beside the one it was made from. */
export interface SentRequest {
  readonly full: ChatRequestBody
  readonly fitted: ChatRequestBody
  readonly report: CompactionReport
  /** Messages of the conversation when it was sent, those of the page's own system text not counted. */
  readonly historyLength: number
  /** Index in the conversation of the first message that was sent as itself; `undefined` without a checkpoint. */
  readonly tailStart: number | undefined
}

/**
 * Gives back the index in `full` at which the kept tail begins, or `undefined` where `fitted` has no
 * checkpoint. Counted from the end, since a compaction replaces the head and keeps the tail's length.
 */
export function findTailStart(
  full: readonly NativeMessage[],
  fitted: readonly NativeMessage[],
): number | undefined {
  const checkpoint = findCheckpoint(fitted)
  const holder = fitted[checkpoint]
  if (holder === undefined) return undefined
  const after = contentText(holder).split(CHECKPOINT_END).at(-1)?.trim() ?? ''
  // A tail that starts with a user message shares the message of the checkpoint, so one more belongs to it.
  const shared = after === '' ? 0 : 1
  return Math.max(0, full.length - (fitted.length - checkpoint - 1) - shared)
}

/** Gives back the index of the message that holds the checkpoint, or -1. */
export function findCheckpoint(messages: readonly NativeMessage[]): number {
  return messages.findIndex((message) => contentText(message).includes(CHECKPOINT_START))
}

/** Gives back the text of a message of either format: its string, or its text blocks joined. */
export function contentText({ content }: NativeMessage): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .flatMap((block: unknown) =>
      typeof block === 'object' && block !== null && 'text' in block ? [String(block.text)] : [],
    )
    .join('\n')
}
