import { TampError } from '../core/errors.ts'
import { crossingBytes } from '../core/leaves.ts'
import type { CompactionReport } from '../core/report.ts'

/** Faults that `prepare` lets through; every other one gives the request back as it was (DESIGN 4). */
const CALLERS_OWN = new Set(['invalid-conversation', 'unknown-format', 'cannot-fit', 'deleted'])

/** Carries an error of the app's own summarizer past what Tamp handles itself. */
export class AppError extends Error {
  readonly own: unknown

  constructor(own: unknown) {
    super('an error of the app')
    this.own = own
  }
}

/** Gives back the error as the app threw it. */
export function unwrapped(error: unknown): unknown {
  return error instanceof AppError ? error.own : error
}

/** True for faults that are the caller's to mend. */
export function isCallersOwn(error: unknown): boolean {
  return error instanceof TampError && CALLERS_OWN.has(error.code)
}

/** True where no engine is there any more. */
export function isEngineLost(error: unknown): boolean {
  return error instanceof TampError && error.code === 'engine-lost'
}

/** The error for an engine that does not know what it was just given. */
export function forgotten(what: string): TampError {
  const message = `the engine forgot what it was just given (${what})`
  return new TampError('engine-lost', message, { reason: what })
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
