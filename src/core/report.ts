/** What made a compaction start. */
export type Trigger = 'threshold' | 'overflow' | 'manual' | 'background'

/**
 * How a compaction ended. Each but `compacted` leaves the request as it stood: mended where `repaired` says so, and in
 * a conversation with what was decided before (an earlier compaction, new results that were squashed at once).
 */
export type Outcome = 'compacted' | 'unchanged' | 'nothing-to-do' | 'failed'

/** What one pass or rung did. */
export interface StepReport {
  /** The name of the pass or rung. */
  readonly name: string
  readonly changedParts: number
  readonly freedTokens: number
}

/** One check of a summary, with what it found. */
export interface SummaryCheck {
  readonly name: string
  readonly verdict: 'passed' | 'mended' | 'rejected' | 'flagged'
  readonly detail: string | undefined
}

/** Where the checkpoint's text came from and what was checked. */
export interface SummaryReport {
  /** `function` is the app's own summarizer, `extractive` the one that needs no model. */
  readonly source: 'function' | 'extractive'
  /** The checkpoint as it stands in the request, marks included. */
  readonly text: string
  readonly tokens: number
  /** Tokens of the messages that it replaces. */
  readonly replacedTokens: number
  readonly checks: readonly SummaryCheck[]
}

/** Something that only the last rung may shorten, and was. */
export interface Shortened {
  /** Index of the message in the history that was handed in, system messages not counted. */
  readonly seq: number
  readonly what: 'result' | 'arguments' | 'paste' | 'media'
  readonly tokensBefore: number
  readonly tokensAfter: number
}

/** What a compaction did, in numbers. All token counts are of the whole request unless named otherwise. */
export interface CompactionReport {
  readonly trigger: Trigger
  readonly outcome: Outcome
  /** Why, where the outcome is `failed` or `nothing-to-do`, or where a model's summary failed on the way. */
  readonly reason: string | undefined
  readonly steps: readonly StepReport[]
  readonly tokensBefore: number
  readonly tokensAfter: number
  /** System text and tool schemas. */
  readonly overheadTokens: number
  /** What no compaction can remove: overhead, task, unanswered user messages and the newest step. */
  readonly floorTokens: number
  /** The limit that the request was fitted to. */
  readonly limitTokens: number
  /** Tokens at the start of the request that are byte for byte those of the input: what a cache keeps. */
  readonly keptPrefixTokens: number
  /** Messages of the request, leading system messages included. */
  readonly messagesBefore: number
  readonly messagesAfter: number
  readonly summary: SummaryReport | undefined
  /** Calls to the summarizer, retries included. */
  readonly summarizerCalls: number
  /** What the last rung shortened; empty in the ordinary case. */
  readonly shortened: readonly Shortened[]
  /** Rules of the format that the input broke and that were mended on the way out. */
  readonly repaired: readonly string[]
  /** `exact` for OpenAI's models; `estimated` for others. */
  readonly counting: 'exact' | 'estimated'
  readonly milliseconds: number
}
