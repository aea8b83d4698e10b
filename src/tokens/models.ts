import table from './models.json' with { type: 'json' }

/** What is known of one model. Prices are in US dollars for a million tokens. */
export interface ModelEntry {
  /** Input and output together; absent where the source does not say. */
  readonly windowTokens?: number
  readonly inputUsdPerMillion: number
  readonly outputUsdPerMillion: number
  readonly cacheReadUsdPerMillion?: number
  readonly cacheWriteUsdPerMillion?: number
}

/** A window that the app states, or that a provider's refusal told. */
export interface WindowEntry {
  /** `undefined` where it holds for the model wherever it runs. */
  readonly provider?: string | undefined
  readonly model: string
  /** An entry without a window counts as no entry; so does one that is not above zero. */
  readonly windowTokens?: number | undefined
}

/** Where else than in the built-in table a window may be found. */
export interface WindowSources {
  /** The app's own entries. */
  readonly entries?: readonly WindowEntry[]
  /** Windows told by refusals; each holds for its own provider and model alone. */
  readonly learned?: readonly WindowEntry[]
  /** Default {@link DEFAULT_WINDOW_TOKENS}. */
  readonly defaultTokens?: number
}

/**
 * The window of a model that nobody knows: what common self-hosted servers are started with. Too
 * small costs an early compaction; too large costs a refused request.
 */
export const DEFAULT_WINDOW_TOKENS = 32_768

// Safe: the generator writes this shape and nothing else; JSON imports infer one type for each entry.
const providers = table.providers as Readonly<Record<string, Readonly<Record<string, ModelEntry>>>>

/**
 * The context window of a model in tokens: always a number above zero.
 *
 * Asked in this order: the app's entry for provider and model, the app's entry for the model, the
 * built-in table in the same two steps, the default. A smaller window learned from a refusal wins.
 */
export function windowOf(
  provider: string | undefined,
  model: string,
  sources: WindowSources = {},
): number {
  const known = statedWindow(provider, model, sources.entries ?? []) ?? tableWindow(provider, model)
  const windowTokens = known ?? sources.defaultTokens ?? DEFAULT_WINDOW_TOKENS
  const learned = windowFor(sources.learned ?? [], provider, model)
  return learned === undefined ? windowTokens : Math.min(learned, windowTokens)
}

/**
 * What the built-in table says of a model; `undefined` where it has no entry.
 *
 * A date or `-latest` at the end of the name is dropped where the full name is not found. Without a
 * provider the model is looked for with every provider, and the smallest window is taken.
 */
export function modelEntry(provider: string | undefined, model: string): ModelEntry | undefined {
  const own = provider === undefined ? undefined : entryIn(provider, model)
  return own ?? entriesAnywhere(model)[0]
}

function statedWindow(
  provider: string | undefined,
  model: string,
  entries: readonly WindowEntry[],
): number | undefined {
  const own = provider === undefined ? undefined : windowFor(entries, provider, model)
  return own ?? windowFor(entries, undefined, model)
}

function windowFor(
  entries: readonly WindowEntry[],
  provider: string | undefined,
  model: string,
): number | undefined {
  const matches = entries.filter((entry) => entry.provider === provider && entry.model === model)
  return matches.map(({ windowTokens }) => windowTokens).find(isWindow)
}

function tableWindow(provider: string | undefined, model: string): number | undefined {
  const own = provider === undefined ? undefined : entryIn(provider, model)?.windowTokens
  return own ?? entriesAnywhere(model)[0]?.windowTokens
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
  const name = [model, model.replace(/([-@]\d{4}-?\d{2}-?\d{2}|-latest)$/, '')].find((candidate) =>
    Object.hasOwn(models, candidate),
  )
  return name === undefined ? undefined : models[name]
}

function isWindow(tokens: number | undefined): tokens is number {
  return tokens !== undefined && Number.isFinite(tokens) && tokens > 0
}
