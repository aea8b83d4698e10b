import type { ReadRequest, RequestHead } from '../core/adapter.ts'
import { type Budget, oneShotBudget } from '../core/budget.ts'
import type { CompactionSetup } from '../core/compaction-state.ts'
import { configurePasses } from '../core/pass.ts'
import { defaultInvariants } from '../invariants/index.ts'
import { defaultPasses } from '../passes/index.ts'
import { replace } from '../strategies/replace.ts'
import { summaryWriter } from '../summarize/writer.ts'
import { encodingOf, isOwnEncoding, tokenCounter } from '../tokens/counter.ts'
import { MESSAGE_TOKENS, type PartCounter, partCounter } from '../tokens/parts.ts'
import type { EngineOptions } from './engine.ts'

/** A counter for the model of a request, with its count of the request's overhead. */
export interface RequestCounter extends PartCounter {
  /** `estimated` where the model has a tokenizer of its own, or a guard sliced an endless run. */
  readonly counting: () => 'exact' | 'estimated'
  readonly systemTokens: number
  readonly toolTokens: number
}

/** Gives back the counter for a request and what its system text and tools take. */
export function requestCounter(head: RequestHead): RequestCounter {
  const counter = tokenCounter(encodingOf(head.model))
  const isInSystem = head.toolsText !== '' && head.systemText.includes(head.toolsText)
  return {
    ...partCounter(counter),
    counting: () => (isOwnEncoding(head.model) && !counter.isEstimated() ? 'exact' : 'estimated'),
    systemTokens: counter.count(head.systemText) + head.systemMessages * MESSAGE_TOKENS,
    // Schemas that already stand in the system text are not counted twice (SEEDS K6).
    toolTokens: isInSystem ? 0 : counter.count(head.toolsText),
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
  const budget: Budget = oneShotBudget(limitTokens, overhead, options.keepRecentTokens)
  return {
    base: read.view,
    standing: [],
    due: 'one-shot',
    budget,
    passes: configurePasses(defaultPasses, options.passes),
    invariants: defaultInvariants,
    strategy: replace,
    writer: summaryWriter(counter.countText),
    hasSummarizer: options.hasSummarizer,
    fallback: options.fallback,
    focus: undefined,
    tools: options.tools,
    refusalPrefixes: options.refusalPrefixes,
    countText: counter.countText,
    countPart: counter.countPart,
    countUnit: counter.countUnit,
  }
}
