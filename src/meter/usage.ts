/** What a provider reported of one request, in tokens; `undefined` is unknown, never zero. */
export interface Usage {
  /** All of the request, cached tokens included. */
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  /** Of the input, what came from a cache. */
  readonly cacheReadTokens: number | undefined
  /** Of the input, what was written to a cache. */
  readonly cacheWriteTokens: number | undefined
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads a provider's usage report, whichever of the known shapes it has; `undefined` where it has none. OpenAI counts
 * cached tokens in the prompt, Anthropic beside it (KNOWN-FAILURES B): the input here is always the whole request.
 */
export function readUsage(report: unknown): Usage | undefined {
  if (typeof report !== 'object' || report === null) return undefined
  const fields = report as Fields // checked one line up
  const isBeside = 'cache_read_input_tokens' in fields || 'cache_creation_input_tokens' in fields
  const input = firstNumber(fields, [
    'prompt_tokens',
    'input_tokens',
    'inputTokens',
    'promptTokenCount',
  ])
  const outputTokens = firstNumber(fields, [
    'completion_tokens',
    'output_tokens',
    'outputTokens',
    'candidatesTokenCount',
  ])
  if (input === undefined && outputTokens === undefined) return undefined
  const cacheReadTokens = isBeside
    ? firstNumber(fields, ['cache_read_input_tokens'])
    : cachedOf(fields)
  const cacheWriteTokens = firstNumber(fields, ['cache_creation_input_tokens'])
  const beside = isBeside ? (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0) : 0
  const inputTokens = input === undefined ? undefined : input + beside
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }
}

function cachedOf(fields: Fields): number | undefined {
  const details = [fields.prompt_tokens_details, fields.input_tokens_details].find(
    (value) => typeof value === 'object' && value !== null,
  )
  const nested = firstNumber((details ?? {}) as Fields, ['cached_tokens']) // an object by the search
  const names = [
    'cachedInputTokens',
    'cachedContentTokenCount',
    'prompt_cache_hit_tokens',
    'cache_n',
  ]
  return nested ?? firstNumber(fields, names)
}

function firstNumber(fields: Fields, names: readonly string[]): number | undefined {
  const values = names.map((name) => fields[name])
  return values.find((value): value is number => typeof value === 'number' && value >= 0)
}

/** Gives back how large the context was after a request: what was sent and its reply. */
export function contextTokens({ inputTokens = 0, outputTokens = 0 }: Usage): number {
  return inputTokens + outputTokens
}
