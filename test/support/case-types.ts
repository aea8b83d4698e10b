import type { Format } from '../../src/core/model.ts'
import type { CompactionReport } from '../../src/core/report.ts'
import type { Native, NativeRequest } from './native.ts'

/** A case's conversation, as `NN-name.json` holds it. */
export interface CaseInput extends NativeRequest {
  readonly case: string
  readonly format: Format
  readonly then?: readonly CaseStep[]
}

/** One step of a case's script after loading. */
export interface CaseStep {
  readonly compact?: boolean
  readonly append?: readonly Native[]
}

/** A scripted reply of the summary model. */
export interface ScriptedReply {
  readonly text?: string
  readonly error?: string
  readonly reasoning?: string
  readonly finish?: string
}

/** What must hold after one compaction, as `NN-name.expect.json` holds it. */
export interface CaseExpectation {
  readonly case: string
  readonly format: Format
  readonly limitTokens: number
  readonly inputTokens: number
  readonly overheadTokens: number
  /** `compacted`, `unchanged` or `error:<code>`. */
  readonly outcome: string
  readonly cheapPasses?: boolean
  readonly summarizer?: {
    readonly replies?: readonly ScriptedReply[]
    readonly windowTokens?: number
  }
  readonly validator?: { readonly replies?: readonly ScriptedReply[] }
  readonly maxSummarizerCalls?: number
  readonly liveStateTools?: readonly string[]
  readonly refusalPrefixes?: readonly string[]
  readonly mustKeepVerbatim: readonly string[]
  readonly mustNotContain: readonly string[]
  readonly mustOccurOnce?: readonly string[]
  readonly mustOccurTimes?: Readonly<Record<string, number>>
  readonly mustOccurInOrder?: readonly string[]
  readonly summarizerMustContain?: readonly string[]
  readonly summarizerMustNotContain?: readonly string[]
  readonly triggerChecks?: readonly TriggerCheck[]
  readonly invariants: readonly string[]
}

/** A usage report and what must be read from it. */
export interface TriggerCheck {
  readonly usageShape: string
  readonly usage: unknown
  readonly threshold: number
  readonly contextTokens: number
  readonly due: boolean
}

/** A request to the summary model, as the model would be sent it. */
export interface SummaryRequest {
  readonly system: string
  readonly prompt: string
  /** Room for the reply, in tokens. */
  readonly maxTokens: number
}

/** Everything a run lets one see. A field left out was not observed, and a check that needs it says so. */
export interface Observed {
  /** The request that would be sent next; `undefined` where the run ended in an error. */
  readonly output: NativeRequest | undefined
  readonly error?: unknown
  readonly report?: Pick<CompactionReport, 'outcome' | 'reason'> | undefined
  readonly summarizerRequests: readonly SummaryRequest[]
  /** The texts that the scripted model gave back, in order. */
  readonly summaries: readonly string[]
  /** A deep copy of the input from before the run, and the input object as it is after it. */
  readonly inputBefore: NativeRequest
  readonly inputAfter: NativeRequest
  /** The stored messages as a restart finds them. */
  readonly storedAfterRestart?: NativeRequest
  /** Every text that can be read back from the archive. */
  readonly archive?: readonly string[]
  /** The output handed in again with the same limit. */
  readonly secondRun?: {
    readonly output: NativeRequest | undefined
    readonly summarizerCalls: number
  }
  /** Each pass that ran, run again on its own result. */
  readonly passReruns?: readonly { readonly pass: string; readonly changedParts: number }[]
  /** Each compact step of `then`. */
  readonly steps?: readonly ObservedStep[]
  /** What was read from each usage report of `triggerChecks`, in order. */
  readonly triggers?: readonly { readonly contextTokens: number; readonly due: boolean }[]
}

/** One compact step of a case's script. */
export interface ObservedStep {
  readonly before: NativeRequest
  readonly after: NativeRequest
  readonly summarizerRequests: readonly SummaryRequest[]
}

/** The marks that the library under test leaves in texts. They are handed in: the checker reads no source. */
export interface Marks {
  readonly checkpointStart: string
  readonly checkpointEnd: string
  /** The delimiters that the library uses in this request to the summary model, opening ones and closing ones. */
  readonly fences: (prompt: string) => readonly string[]
  /** Matches a marker that says with a number how much is missing. */
  readonly omission: RegExp
  /** Matches a text that is nothing but a marker. */
  readonly wholeMarker: RegExp
  /** Matches a marker that refers to a later call or result. */
  readonly forwardPointer: RegExp
  /** Matches a marker's advice on how to get the original back. */
  readonly recovery: RegExp
  /** Matches a text that says an image is no longer there. */
  readonly imageNote: RegExp
  /** Matches the names of the tools that read. */
  readonly readTool: RegExp
}

/** Something that does not hold. */
export interface Problem {
  /** The invariant or the field of the expect file. */
  readonly check: string
  readonly detail: string
}

/** What a check is given: the case, what was seen, and the output where there is one. */
export interface Judged {
  readonly input: CaseInput
  readonly expectation: CaseExpectation
  readonly observed: Observed
  readonly output: NativeRequest
  readonly marks: Marks
  /** True where the runner deferred that part of an invariant by name. */
  readonly isDeferred: (name: string) => boolean
}

/** An invariant: gives back one sentence for each thing that breaks it. */
export type Check = (judged: Judged) => readonly string[]
