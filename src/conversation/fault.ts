import { hasCode, TampError } from '../core/errors.ts'
import { crossingBytes } from '../core/leaves.ts'
import type { CompactionReport } from '../core/report.ts'

/** Carries an error of the app's own summarizer, as its cause, past what Tamp handles itself. */
export class AppError extends Error {}

/** Gives back the error as the app threw it. */
export function unwrapped(error: unknown): unknown {
  return error instanceof AppError ? error.cause : error
}

/** True for faults that are the caller's to mend: every other one gives the request back as it was (DESIGN 4). */
export function isCallersOwn(error: unknown): boolean {
  return (
    error instanceof AppError ||
    hasCode(error, 'invalid-conversation', 'unknown-format', 'cannot-fit', 'deleted')
  )
}

/** The error where a model is needed and none was given. */
export function noSummarizer(): TampError {
  return new TampError('summarizer-unavailable', 'no summarizer is configured')
}

/** Gives back what an error says; anything may be thrown. */
export function messageOf(error: unknown): string {
  return String(error instanceof Error ? error.message : error)
}

/** What is said of a request that went out as it came: bytes bound tokens from above (DESIGN 5.3). */
export function failedReport(messages: readonly unknown[], reason: string): CompactionReport {
  const tokens = crossingBytes(messages)
  return {
    trigger: 'threshold',
    outcome: 'failed',
    reason,
    steps: [],
    tokensBefore: tokens,
    tokensAfter: tokens,
    overheadTokens: 0,
    floorTokens: 0,
    limitTokens: 0,
    keptPrefixTokens: tokens,
    messagesBefore: messages.length,
    messagesAfter: messages.length,
    summary: undefined,
    summarizerCalls: 0,
    shortened: [],
    repaired: [],
    counting: 'estimated',
    milliseconds: 0,
  }
}
