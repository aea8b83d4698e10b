import table from './windows.json' with { type: 'json' }

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

/** Windows of models in tokens, by provider and model. */
const providers = new Map(
  Object.entries(table).map(([provider, windows]) => [provider, windowsByModel(windows)]),
)

/** The file has the models of each window in a row. */
function windowsByModel(windows: Readonly<Record<string, string>>): ReadonlyMap<string, number> {
  const entries = Object.entries(windows).flatMap(([tokens, models]) =>
    models.split(' ').map((model) => [model, Number(tokens)] as const),
  )
  return new Map(entries)
}

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

/** Without a provider that knows the model it is looked for with every one, and the smallest window is taken. */
function tableWindow(provider: string | undefined, model: string): number | undefined {
  const own = windowIn(providers.get(provider ?? ''), model)
  if (own !== undefined) return own
  const found = [...providers.values()].flatMap((windows) => windowIn(windows, model) ?? [])
  return found.length > 0 ? Math.min(...found) : undefined
}

/** A date or `-latest` at the end of the name is dropped where the full name is not found. */
function windowIn(
  windows: ReadonlyMap<string, number> | undefined,
  model: string,
): number | undefined {
  return windows?.get(model) ?? windows?.get(withoutDate(model))
}

/** Gives back a model's name without the date or `-latest` at its end. */
export function withoutDate(model: string): string {
  return model.replace(/([-@]\d{4}-?\d{2}-?\d{2}|-latest)$/, '')
}

function isWindow(tokens: number | undefined): tokens is number {
  return tokens !== undefined && Number.isFinite(tokens) && tokens > 0
}
