import { type Encoding, encodings } from './core/encoding.ts'
import { defaultRefusalPrefixes, defaultTools, type ToolTable } from './core/tools.ts'
import type { Engine, EngineOptions, RoomOptions } from './engine/engine.ts'
import type { PassOptions } from './passes/index.ts'
import type { Summarizer } from './summarize/function.ts'

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
export function checkOptions({
  summarizer,
  summarizerTimeoutMs: timeout,
  ...options
}: TampOptions): void {
  if (summarizer !== undefined && typeof summarizer !== 'function') {
    throw new TypeError('summarizer is not a function')
  }
  if (timeout !== undefined && !(timeout > 0 && timeout <= MAX_TIMEOUT_MS)) {
    throw new RangeError(`summarizerTimeoutMs is ${timeout}; 1 to ${MAX_TIMEOUT_MS} is allowed`)
  }
  const prefixes = options.refusalPrefixes ?? []
  if (!Array.isArray(prefixes) || prefixes.some((prefix) => typeof prefix !== 'string')) {
    throw new TypeError('refusalPrefixes is not a list of texts')
  }
  for (const encoding of Object.keys(options.ranks ?? {})) {
    if (encodings.some((known) => known === encoding)) continue
    throw new TypeError(`ranks names ${encoding}; there are ${encodings.join(' and ')}`)
  }
  checkRoom(options)
  for (const [tool, semantics] of Object.entries(options.tools ?? {})) {
    for (const pattern of semantics.isError ?? []) checkPattern(tool, pattern)
  }
}

function checkRoom({ window, store, ...options }: TampOptions): void {
  const windows = typeof window === 'object' ? Object.values(window) : [window]
  for (const tokens of windows) {
    if (tokens !== undefined) checkPositive('window', tokens)
  }
  for (const name of ['trigger', 'target'] as const) {
    const fraction = options[name]
    if (fraction !== undefined && !(fraction > 0 && fraction <= 1)) {
      throw new RangeError(`${name} is ${fraction}; above 0 and at most 1 is allowed`)
    }
  }
  const { reserveTokens } = options
  if (reserveTokens !== undefined && !(reserveTokens >= 0 && Number.isFinite(reserveTokens))) {
    throw new RangeError(`reserveTokens is ${reserveTokens}; 0 or more is allowed`)
  }
  if (typeof store === 'object' && typeof store.name !== 'string') {
    throw new TypeError('store.name is no text')
  }
}

function checkPattern(tool: string, pattern: string): void {
  try {
    new RegExp(pattern, 'u')
  } catch (error) {
    throw new TypeError(`tools.${tool}.isError holds no pattern: ${pattern}`, { cause: error })
  }
}

/** Throws a RangeError for a number that is none, or not above zero. */
export function checkPositive(name: string, value: number): void {
  if (!Number.isFinite(value) || value <= 0) {
    throw new RangeError(`${name} is ${String(value)}; a positive number is needed`)
  }
}

/** Gives back what the engine needs to know of them. */
export function engineOptions(options: TampOptions): EngineOptions {
  return {
    passes: { ...options.passes },
    tools: { ...defaultTools, ...options.tools },
    refusalPrefixes: options.refusalPrefixes ?? defaultRefusalPrefixes,
    keepRecentTokens: options.keepRecentTokens,
    hasSummarizer: options.summarizer !== undefined,
    fallback: options.fallback ?? 'extractive',
    room: roomOptions(options),
  }
}

/** DESIGN 4. */
const DEFAULT_TRIGGER = 0.85
const DEFAULT_TARGET = 0.5

function roomOptions({ window, ...options }: TampOptions): RoomOptions {
  const windows =
    typeof window === 'number'
      ? [{ model: undefined, windowTokens: window }]
      : Object.entries(window ?? {}).map(([model, windowTokens]) => ({ model, windowTokens }))
  return {
    windows,
    reserveTokens: options.reserveTokens,
    trigger: options.trigger ?? DEFAULT_TRIGGER,
    target: options.target ?? DEFAULT_TARGET,
    tidy: options.tidy ?? 'batched',
  }
}
