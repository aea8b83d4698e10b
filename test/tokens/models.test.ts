import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { DEFAULT_WINDOW_TOKENS, type WindowSources, windowOf } from '../../src/tokens/models.ts'
import { modelEntry } from '../../src/tokens/tariffs.ts'

const gpt4o = 128_000
const unknown = 'no-such-model'

const own: WindowSources = {
  entries: [
    { provider: 'openai', model: 'gpt-4o', windowTokens: 64_000 },
    { model: 'gpt-4o', windowTokens: 32_000 },
    { model: 'gpt-4.1', windowTokens: 16_000 },
    { provider: 'openai', model: 'o3' },
    { provider: 'mine', model: 'local', windowTokens: 0 },
    { provider: 'mine', model: 'twice' },
    { provider: 'mine', model: 'twice', windowTokens: 9_000 },
  ],
  defaultTokens: 8_000,
}

const cases: readonly [string, string | undefined, string, WindowSources | undefined, number][] = [
  ["the app's entry for provider and model comes first", 'openai', 'gpt-4o', own, 64_000],
  ["the app's entry for the model comes next", 'elsewhere', 'gpt-4o', own, 32_000],
  ["the app's entry for the model beats the table", 'openai', 'gpt-4.1', own, 16_000],
  ['an entry for another provider is no entry', undefined, 'local', own, 8_000],
  ['the table is asked for provider and model', 'openai', 'gpt-4o', undefined, gpt4o],
  ['the table is asked for the model alone', undefined, 'gpt-4o', undefined, gpt4o],
  ['an unknown provider leaves the model', 'elsewhere', 'gpt-4o', undefined, gpt4o],
  ['an entry without a window counts as no entry', 'openai', 'o3', own, 200_000],
  ['a window of zero counts as no entry', 'mine', 'local', own, 8_000],
  ['the next entry with a window is used', 'mine', 'twice', own, 9_000],
  ['nothing known gives the configured default', 'openai', unknown, own, 8_000],
  ['nothing configured gives the built-in default', 'x', unknown, undefined, DEFAULT_WINDOW_TOKENS],
  ['a date at the end of a name is dropped', 'openai', 'gpt-4o-2024-08-06', undefined, gpt4o],
  ['so is a date in one piece', 'anthropic', 'claude-sonnet-4-5-20250929', undefined, 200_000],
  ['so is the word latest', 'anthropic', 'claude-3-7-sonnet-latest', undefined, 200_000],
  ['names of object members are no models', 'constructor', '__proto__', own, 8_000],
]

describe('Z3 window of a model', () => {
  test.each(cases)('Z3 %s', (_name, provider, model, sources, expected) => {
    expect(windowOf(provider, model, sources)).toBe(expected)
  })

  test('Z3 a smaller window learned from a refusal wins, a larger one does not', () => {
    const learnedAt = (windowTokens: number) =>
      windowOf('openai', 'gpt-4o', {
        learned: [{ provider: 'openai', model: 'gpt-4o', windowTokens }],
      })
    expect(learnedAt(100_000)).toBe(100_000)
    expect(learnedAt(500_000)).toBe(gpt4o)
  })

  test("Z3 a window learned from another provider's refusal does not count", () => {
    const learned = [{ provider: 'groq', model: 'gpt-4o', windowTokens: 5_000 }]
    expect(windowOf('openai', 'gpt-4o', { learned })).toBe(gpt4o)
  })
})

describe('the built-in table', () => {
  test('gives prices in dollars for a million tokens', () => {
    expect(modelEntry('openai', 'gpt-4o')).toMatchObject({
      inputUsdPerMillion: 2.5,
      outputUsdPerMillion: 10,
    })
    expect(modelEntry('anthropic', 'claude-sonnet-4-5')).toMatchObject({
      cacheReadUsdPerMillion: 0.3,
      cacheWriteUsdPerMillion: 3.75,
    })
    expect(modelEntry('openai', unknown)).toBeUndefined()
  })

  test('has the same window of a model in both of its files', () => {
    const { providers } = JSON.parse(readFileSync('src/tokens/models.json', 'utf8'))
    for (const [provider, models] of Object.entries<object>(providers)) {
      for (const [model, { windowTokens }] of Object.entries(models)) {
        if (windowTokens) expect(windowOf(provider, model)).toBe(windowTokens)
      }
    }
  })

  test('is what the generator writes, and at most 30 kB', () => {
    const answer = execFileSync(process.execPath, ['.ci/generate-models.mjs', '--check'])
    expect(answer.toString()).toContain('up to date')
    expect(readFileSync('src/tokens/models.json').byteLength).toBeLessThanOrEqual(30_000)
  })
})
