import { type Encoding, encodings } from './core/encoding.ts'
import type { ToolTable } from './core/tools.ts'
import type { Engine, EngineOptions } from './engine/engine.ts'
import type { PassOptions } from './passes/index.ts'
import type { Summarizer } from './summarizer.ts'

/** What an app may set. Of a union the first value is the default. */
export interface TampOptions {
  /** Writes summaries. Without one, Tamp's own summarizer, which needs no model, does. */
  readonly summarizer?: Summarizer
  /** What happens when a summary failed and the request does not fit without one. */
  readonly fallback?: 'extractive' | 'none'
  /** Options by pass; `false` switches one off. */
  readonly passes?: PassOptions
  /** What the app's tools do, by name; wins over the defaults for common names. */
  readonly tools?: ToolTable
  /** A result that begins with one of these is a refusal and is never shortened or summarized away. */
  readonly refusalPrefixes?: readonly string[]
  /** The tail that old results are told from; default: a quarter of the allowance, at most 20,000 tokens. */
  readonly keepRecentTokens?: number
  /** Default 60,000. */
  readonly summarizerTimeoutMs?: number
  /** A worker of the app's own, or what makes one. Only what a factory makes can be restarted. */
  readonly worker?: Worker | (() => Worker)
  /** Where the worker file lies, if not beside the library. */
  readonly workerUrl?: string | URL
  /**
   * Where the rank files that tokens are counted with lie, if not beside the library. Got by `fetch` when they are
   * needed first, o200k_base at once; where one cannot be had, calls reject with `ranks-unavailable`, and the next one
   * tries again.
   */
  readonly ranks?: Readonly<Partial<Record<Encoding, string | URL>>>
  /** An engine to use instead of a worker: `localEngine()` of `tamp/local`. */
  readonly engine?: Engine
  /** Where conversations are kept: a database of this name (default `tamp`), or memory alone. */
  readonly store?: { readonly name: string } | 'memory'
  /**
   * The model's context window in tokens, input and output together: one for all models, or one by model. Models
   * without an entry are looked up in a table; unknown ones count as 32,768.
   */
  readonly window?: number | Readonly<Record<string, number>>
  /** Room for the answer; default: the request's own limit on it, else 4,096. At most half of the window. */
  readonly reserveTokens?: number
  /** Fraction of the room of a conversation from which on it is compacted; default .85. */
  readonly trigger?: number
  /** Fraction of that room that a compaction aims at; default .5. */
  readonly target?: number
  /** When new tool results are squashed: where they take much of the room left, or each at once. */
  readonly tidy?: 'batched' | 'eager'
}

/** The longest time that a timer takes. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** Wrong options are told at once, not by the first compaction that reaches them. */
export function checkOptions(options: TampOptions): void {
  const { summarizer, refusalPrefixes: prefixes = [], reserveTokens, store, window } = options
  check(!summarizer || typeof summarizer === 'function', 'summarizer is not a function')
  const isList = Array.isArray(prefixes) && prefixes.every((prefix) => typeof prefix === 'string')
  check(isList, 'refusalPrefixes is not a list of texts')
  check(typeof store !== 'object' || typeof store.name === 'string', 'store.name is no text')
  for (const encoding of Object.keys(options.ranks ?? {})) {
    check(
      encodings.includes(encoding as Encoding),
      `ranks names ${encoding}; there are ${encodings.join(' and ')}`,
    )
  }
  const windows = typeof window === 'object' ? Object.values(window) : [window]
  for (const tokens of windows) checkPositive('window', tokens)
  if (reserveTokens !== 0) checkPositive('reserveTokens', reserveTokens)
  checkPositive('trigger', options.trigger, 1)
  checkPositive('target', options.target, 1)
  checkPositive('summarizerTimeoutMs', options.summarizerTimeoutMs, MAX_TIMEOUT_MS)
  for (const [tool, { isError = [] }] of Object.entries(options.tools ?? {})) {
    for (const pattern of isError) checkPattern(`tools.${tool}.isError`, pattern)
  }
}

function check(isRight: boolean, problem: string): void {
  if (!isRight) throw new TypeError(problem)
}

function checkPattern(name: string, pattern: string): void {
  try {
    new RegExp(pattern, 'u')
  } catch (error) {
    throw new TypeError(`${name} holds no pattern: ${pattern}`, { cause: error })
  }
}

/** Throws a RangeError for what is no number above zero, or one above `most`; `undefined` is none at all. */
export function checkPositive(
  name: string,
  value: number | undefined,
  most = Number.MAX_VALUE,
): void {
  if (value === undefined || (typeof value === 'number' && value > 0 && value <= most)) return
  throw new RangeError(`${name} is ${String(value)}; a number above 0, at most ${most}, is needed`)
}

/** What the engine needs to know; nothing else crosses, since it may be no plain data. */
const ENGINE_OPTIONS = [
  'passes',
  'tools',
  'refusalPrefixes',
  'keepRecentTokens',
  'fallback',
  'window',
  'reserveTokens',
  'trigger',
  'target',
  'tidy',
] as const satisfies readonly (keyof EngineOptions)[]

/** Gives back what the engine needs to know of them, as the app set it: the defaults are the engine's. */
export function engineOptions(options: TampOptions): EngineOptions {
  const set: Record<string, unknown> = { hasSummarizer: options.summarizer !== undefined }
  for (const name of ENGINE_OPTIONS) set[name] = options[name]
  return set as unknown as EngineOptions // all its fields, by the list above
}
