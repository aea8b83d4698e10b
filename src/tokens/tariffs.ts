import table from './models.json' with { type: 'json' }
import { withoutDate } from './models.ts'

/** What is known of one model. Prices are in US dollars for a million tokens. */
export interface ModelEntry {
  /** Input and output together; absent where the source does not say. */
  readonly windowTokens?: number
  readonly inputUsdPerMillion: number
  readonly outputUsdPerMillion: number
  readonly cacheReadUsdPerMillion?: number
  readonly cacheWriteUsdPerMillion?: number
}

// Safe: the generator writes this shape and nothing else; JSON imports infer one type for each entry.
const providers = table.providers as Readonly<Record<string, Readonly<Record<string, ModelEntry>>>>

/**
 * What the built-in table says of a model; `undefined` where it has no entry. A date or `-latest` at the end of the
 * name is dropped where the full name is not found. Without a provider that knows the model it is looked for with
 * every one, and the entry with the smallest window is taken. A module of its own, so that the worker, which needs
 * windows alone, carries no prices.
 */
export function modelEntry(provider: string | undefined, model: string): ModelEntry | undefined {
  const own = provider === undefined ? undefined : entryIn(provider, model)
  return own ?? entriesAnywhere(model)[0]
}

/** Entries for the model with any provider: those with a window first, the smallest of them first. */
function entriesAnywhere(model: string): ModelEntry[] {
  const found = Object.keys(providers).flatMap((provider) => entryIn(provider, model) ?? [])
  return found.sort((a, b) => (a.windowTokens ?? Infinity) - (b.windowTokens ?? Infinity))
}

function entryIn(provider: string, model: string): ModelEntry | undefined {
  const models = Object.hasOwn(providers, provider) ? providers[provider] : undefined
  if (models === undefined) return undefined
  // Own keys only: a model may be called "constructor".
  const name = [model, withoutDate(model)].find((candidate) => Object.hasOwn(models, candidate))
  return name === undefined ? undefined : models[name]
}
