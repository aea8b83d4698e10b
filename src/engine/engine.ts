import type { CompactionState } from '../core/compaction-state.ts'
import type { Format } from '../core/model.ts'
import type { CompactionReport } from '../core/report.ts'
import type { ModelReply, ModelRequest } from '../core/summary.ts'
import type { ToolTable } from '../core/tools.ts'
import type { ConversationMethods } from './conversation-jobs.ts'

/** What the app set, as far as the engine needs it. Plain data; `undefined` is the default, as `TampOptions` says it. */
export interface EngineOptions {
  readonly passes: Readonly<Record<string, object | false | undefined>> | undefined
  readonly tools: ToolTable | undefined
  readonly refusalPrefixes: readonly string[] | undefined
  readonly keepRecentTokens: number | undefined
  readonly hasSummarizer: boolean
  readonly fallback: 'extractive' | 'none' | undefined
  /** Of all models, or by model. */
  readonly window: number | Readonly<Record<string, number>> | undefined
  readonly reserveTokens: number | undefined
  /** Fraction of the allowance from which on a compaction is due. */
  readonly trigger: number | undefined
  /** Fraction of the allowance that a compaction aims at. */
  readonly target: number | undefined
  /** `eager`: every large new result is squashed at once, not only one that takes much of the room left. */
  readonly tidy: 'batched' | 'eager' | undefined
}

/**
 * A list of messages as it shall be sent: the index of one in the list that came, which goes out as the very object
 * that it is, or a message that edits made.
 */
export type Assembly = readonly (number | object)[]

/** A request that is to be fitted, as it crosses to the engine. Plain data. */
export interface FitJob {
  readonly jobId: string
  readonly format: Format
  /** The fields of the request that the adapter reads; absent when the engine is expected to know the job. */
  readonly request?: Readonly<Record<string, unknown>> | undefined
  readonly limitTokens: number
  readonly options: EngineOptions
  /** Where to go on, with the answer to the last ask. */
  readonly resume?: { readonly state: CompactionState; readonly reply: ModelReply } | undefined
}

/** What the engine answers to a job. Plain data. */
export type FitAnswer =
  | { readonly type: 'ask'; readonly ask: ModelRequest; readonly state: CompactionState }
  | {
      readonly type: 'done'
      /** `undefined` where the list stays as it came. */
      readonly messages: Assembly | undefined
      readonly report: CompactionReport
    }
  /** The engine was restarted since: send the job again, with its request. */
  | { readonly type: 'unknown-job' }

/** A request that is to be measured. Plain data. */
export interface MeasureJob {
  readonly format: Format
  readonly request: Readonly<Record<string, unknown>>
  readonly limitTokens: number | undefined
}

/** What a request takes, by segment, in tokens. The segments add up to the total. */
export interface Measurement {
  readonly totalTokens: number
  readonly limitTokens: number | undefined
  /** What no compaction can remove: overhead, task, unanswered user messages and the newest step. */
  readonly floorTokens: number
  /** What is left of the limit; negative where the request is over it, `undefined` without a limit. */
  readonly freeTokens: number | undefined
  /** `exact` for OpenAI's models; for others o200k_base stands in, and the count is an estimate. */
  readonly counting: 'exact' | 'estimated'
  readonly segments: {
    readonly system: number
    readonly tools: number
    readonly task: number
    readonly checkpoint: number
    readonly turns: number
    readonly media: number
  }
  readonly messages: readonly {
    readonly seq: number
    readonly role: string
    readonly tokens: number
  }[]
}

/** What an engine can do, by name: the flat table that both sides of the boundary share. */
export interface EngineMethods extends ConversationMethods {
  readonly fit: (job: FitJob) => FitAnswer
  readonly measure: (job: MeasureJob) => Measurement
}

/** The name of an engine method. */
export type EngineMethod = keyof EngineMethods

/** What an engine is, once it has started. */
export interface EngineCapabilities {
  /** True where the work is done off the calling thread. */
  readonly worker: boolean
}

/** What can happen to an engine behind the back of its caller. */
export type EngineEvent =
  | { readonly type: 'engine:restarted'; readonly reason: string }
  | { readonly type: 'engine:lost'; readonly reason: string }

/**
 * Does the work, in this thread or in a worker. Every call settles: with a value, with the error that the work
 * raised, with the signal's reason, or with `engine-lost`.
 */
export interface Engine {
  readonly ready: () => Promise<EngineCapabilities>
  readonly call: <M extends EngineMethod>(
    method: M,
    job: Parameters<EngineMethods[M]>[0],
    signal?: AbortSignal,
  ) => Promise<ReturnType<EngineMethods[M]>>
  readonly onEvent: (listener: (event: EngineEvent) => void) => void
  /** Settles every pending call with `engine-lost`. */
  readonly close: () => void
}
