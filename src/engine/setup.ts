import type { ReadRequest, RequestHead } from '../core/adapter.ts'
import { type Budget, type Due, makeBudget, oneShotBudget } from '../core/budget.ts'
import type { CompactionSetup } from '../core/compaction-state.ts'
import type { Edit } from '../core/edit.ts'
import type { View } from '../core/model.ts'
import { configurePasses } from '../core/pass.ts'
import { defaultRefusalPrefixes, defaultTools } from '../core/tools.ts'
import { defaultInvariants } from '../invariants/index.ts'
import { defaultPasses } from '../passes/index.ts'
import { replace } from '../strategies/replace.ts'
import { summaryWriter } from '../summarize/writer.ts'
import {
  type Encoding,
  encodingOf,
  isOwnEncoding,
  type TokenCounter,
  tokenCounter,
} from '../tokens/counter.ts'
import { windowOf } from '../tokens/models.ts'
import { type KnownCounts, MESSAGE_TOKENS, type PartCounter, partCounter } from '../tokens/parts.ts'
import type { EngineOptions } from './engine.ts'

/** A counter for the model of a request, with its count of the request's overhead. */
export interface RequestCounter extends PartCounter {
  /** `estimated` where the model has a tokenizer of its own, or a guard sliced an endless run. */
  readonly counting: () => 'exact' | 'estimated'
  readonly systemTokens: number
  readonly toolTokens: number
}

/** A tokenizer with the counts it made: parts are counted once for as long as they live. */
export interface Counting {
  readonly encoding: Encoding
  readonly tokens: TokenCounter
  readonly parts: PartCounter
}

/** Gives back a counter for an encoding; what `stored` knows is not counted. */
export function countingWith(encoding: Encoding, stored?: KnownCounts): Counting {
  const tokens = tokenCounter(encoding)
  return { encoding, tokens, parts: partCounter(tokens, stored) }
}

/** Gives back the counter for a request and what its system text and tools take. */
export function requestCounter(
  head: RequestHead,
  { tokens, parts }: Counting = countingWith(encodingOf(head.model)),
): RequestCounter {
  const isInSystem = head.toolsText !== '' && head.systemText.includes(head.toolsText)
  return {
    ...parts,
    counting: () => (isOwnEncoding(head.model) && !tokens.isEstimated() ? 'exact' : 'estimated'),
    systemTokens: tokens.count(head.systemText) + head.systemMessages * MESSAGE_TOKENS,
    // Schemas that already stand in the system text are not counted twice (SEEDS K6).
    toolTokens: isInSystem ? 0 : tokens.count(head.toolsText),
  }
}

/** Gives back all that a one-shot compaction works with, composed of the default lists. */
export function oneShotSetup(
  read: ReadRequest,
  counter: RequestCounter,
  limitTokens: number,
  options: EngineOptions,
): CompactionSetup {
  const overhead = counter.systemTokens + counter.toolTokens
  const budget = oneShotBudget(limitTokens, overhead, options.keepRecentTokens)
  return setupOf({ base: read.view, standing: [], due: 'one-shot', budget, counter, options })
}

/** What differs from one compaction to the next. */
export interface SetupInput {
  readonly base: View
  readonly standing: readonly Edit[]
  readonly due: Due
  readonly budget: Budget
  readonly counter: RequestCounter
  readonly options: EngineOptions
  readonly focus?: string | undefined
}

/** Gives back all that a compaction works with, composed of the default lists. */
export function setupOf({ counter, options, focus, ...input }: SetupInput): CompactionSetup {
  return {
    ...input,
    focus,
    passes: configurePasses(defaultPasses, options.passes ?? {}),
    invariants: defaultInvariants,
    strategy: replace,
    writer: summaryWriter(counter.countText),
    hasSummarizer: options.hasSummarizer,
    fallback: options.fallback ?? 'extractive',
    tools: { ...defaultTools, ...options.tools },
    refusalPrefixes: options.refusalPrefixes ?? defaultRefusalPrefixes,
    countText: counter.countText,
    countPart: counter.countPart,
    countUnit: counter.countUnit,
  }
}

/** DESIGN 4. */
const DEFAULT_TRIGGER = 0.85
const DEFAULT_TARGET = 0.5
/** The reserve where neither the app nor the request says one (DESIGN 4). */
const DEFAULT_RESERVE_TOKENS = 4096
/** Until a model's own reports say more, counts of a tokenizer that is not its own may be this much too low (DESIGN 5.3). */
const ESTIMATE_MARGIN = 1.1

/** What a request says of the room there is. */
export interface RoomInput {
  readonly model: string | undefined
  /** The request's own limit on the answer. */
  readonly outputTokens: number | undefined
  readonly overheadTokens: number
  readonly counting: 'exact' | 'estimated'
}

/** Gives back the budget of a request of a conversation. */
export function conversationBudget(input: RoomInput, options: EngineOptions): Budget {
  const windowTokens = windowTokensOf(input.model, options.window)
  const wanted = options.reserveTokens ?? input.outputTokens ?? DEFAULT_RESERVE_TOKENS
  const reserveTokens = Math.min(wanted, Math.floor(windowTokens / 2))
  const margin = input.counting === 'exact' ? 1 : ESTIMATE_MARGIN
  return makeBudget({
    ceilingTokens: Math.floor((windowTokens - reserveTokens) / margin) + reserveTokens,
    reserveTokens,
    overheadTokens: input.overheadTokens,
    trigger: options.trigger ?? DEFAULT_TRIGGER,
    target: options.target ?? DEFAULT_TARGET,
    keepRecentTokens: options.keepRecentTokens,
  })
}

/** What the app says of all models is said of this one too: it knows better than a table. */
function windowTokensOf(model = '', window: EngineOptions['window'] = {}): number {
  if (typeof window === 'number') return window
  const entries = Object.entries(window).map(([name, windowTokens]) => ({
    model: name,
    windowTokens,
  }))
  return windowOf(undefined, model, { entries })
}
