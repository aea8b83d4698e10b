/**
 * Writes src/tokens/models.json, context windows and prices of current chat models, and of that src/tokens/windows.json,
 * which the worker loads: the models of each window.
 *
 * Source: the npm package @pydantic/genai-prices, at the version that the lock file names.
 * `--check` writes nothing and fails if the file is not what the generator would write.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findProvider } from '@pydantic/genai-prices'

const sourcePackage = '@pydantic/genai-prices'
const target = fileURLToPath(new URL('../src/tokens/models.json', import.meta.url))
const windowsTarget = fileURLToPath(new URL('../src/tokens/windows.json', import.meta.url))
const largestBytes = 30_000

/**
 * `name` is Tamp's name of the provider, `source` the name it has in the package, `models` what is
 * kept. Qwen and Meta are read from OpenRouter, whose ids carry the maker's name in front.
 */
const providers = [
  {
    name: 'openai',
    source: 'openai',
    models: /^(gpt-([4-9]|oss|3\.5-turbo$)|chatgpt|o[134]|codex)/,
  },
  { name: 'anthropic', source: 'anthropic', models: /^claude-(?!v1|instant|2)/ },
  { name: 'google', source: 'google', models: /^(gemini-(?!1\.0|pro|flash-1)|gemma-[4-9])/ },
  { name: 'deepseek', source: 'deepseek', models: /./ },
  { name: 'mistral', source: 'mistral', models: /^(?!mistral-7b|mixtral)/ },
  { name: 'xai', source: 'x-ai', models: /^grok-(?!2|beta|vision)/ },
  { name: 'qwen', source: 'openrouter', models: /^qwen\/(?!qwen-?2)/, prefix: 'qwen/' },
  {
    name: 'groq',
    source: 'groq',
    models: /^(?!gemma|llama-?[23](-|\.[12])|llama3|llama2|mixtral)/,
  },
  {
    name: 'meta',
    source: 'openrouter',
    models: /^meta-llama\/llama-(3\.[13]|4)/,
    prefix: 'meta-llama/',
  },
]

/** Names of models that do not chat, and of tuned or routed copies. */
const notForChat =
  /audio|realtime|transcribe|tts|image|embed|moderation|whisper|ft:|\.ft-|guard|search-preview|vision-preview|ocr|computer-use|-live|veo|playai|distil|:(free|extended|beta|batch|thinking)|preview-\d\d-\d\d/

/** Of prices that change with the date, the newest. A price that depends on the hour is left out. */
function currentOf(prices) {
  if (!Array.isArray(prices)) return prices
  const dated = prices.filter(({ constraint }) => constraint?.type !== 'time_of_date')
  return (dated.at(-1) ?? prices[0]).prices
}

/** Higher tiers begin at a prompt size that a compacted chat stays below. */
function baseOf(price) {
  return typeof price === 'object' ? price.base : price
}

function entryOf(model) {
  const prices = currentOf(model.prices)
  return {
    windowTokens: model.context_window,
    inputUsdPerMillion: baseOf(prices.input_mtok),
    outputUsdPerMillion: baseOf(prices.output_mtok),
    cacheReadUsdPerMillion: baseOf(prices.cache_read_mtok),
    cacheWriteUsdPerMillion: baseOf(prices.cache_write_mtok),
  }
}

/** `-latest` is no part of a name here: the lookup drops it too. */
function nameOf(id, prefix) {
  return id.slice(prefix.length).replace(/-latest$/, '')
}

function modelsOf({ source, models, prefix = '' }) {
  const provider = findProvider({ providerId: source })
  if (provider === undefined) throw new Error(`${sourcePackage} has no provider named ${source}`)
  const entries = provider.models
    .filter(({ id, deprecated }) => models.test(id) && !notForChat.test(id) && !deprecated)
    .map((model) => [nameOf(model.id, prefix), entryOf(model)])
    .filter(
      ([, { inputUsdPerMillion: input, outputUsdPerMillion: output }]) => input >= 0 && output >= 0,
    )
  if (entries.length === 0) throw new Error(`no model of ${source} was kept`)
  return entries.sort(([a], [b]) => (a < b ? -1 : 1))
}

/** One line a model, so that a change of price is a change of one line. */
function format({ version, generated }) {
  const blocks = providers.map((provider) => {
    const rows = modelsOf(provider).map(
      ([name, entry]) => `      "${name}": ${JSON.stringify(entry)}`,
    )
    return `    "${provider.name}": {\n${rows.join(',\n')}\n    }`
  })
  const head = `  "source": "${sourcePackage}",\n  "version": "${version}",\n  "generated": "${generated}"`
  return `{\n${head},\n  "providers": {\n${blocks.join(',\n')}\n  }\n}\n`
}

/** By provider and window, the names in a row: hundreds of models share a few dozen windows. */
function formatWindows() {
  const blocks = providers.map((provider) => {
    const models = modelsOf(provider).filter(([, { windowTokens }]) => windowTokens > 0)
    const windows = new Set(
      models.map(([, { windowTokens }]) => windowTokens).sort((a, b) => a - b),
    )
    const namesOf = (tokens) =>
      models.filter(([, { windowTokens }]) => windowTokens === tokens).map(([name]) => name)
    const rows = [...windows].map((tokens) => `    "${tokens}": "${namesOf(tokens).join(' ')}"`)
    return `  "${provider.name}": {\n${rows.join(',\n')}\n  }`
  })
  return `{\n${blocks.join(',\n')}\n}\n`
}

function sourceVersion() {
  const manifest = new URL(`../node_modules/${sourcePackage}/package.json`, import.meta.url)
  return JSON.parse(readFileSync(manifest, 'utf8')).version
}

const version = sourceVersion()
const present = existsSync(target) ? readFileSync(target, 'utf8') : ''
// The date moves only with the contents, so that running the generator twice changes nothing.
const presentDate = /"generated": "([\d-]+)"/.exec(present)?.[1] ?? ''
const windows = formatWindows()
const presentWindows = existsSync(windowsTarget) ? readFileSync(windowsTarget, 'utf8') : ''
const upToDate =
  format({ version, generated: presentDate }) === present && windows === presentWindows
const text = upToDate
  ? present
  : format({ version, generated: new Date().toISOString().slice(0, 10) })

const bytes = Buffer.byteLength(text)
if (bytes > largestBytes) throw new Error(`${bytes} bytes of models, more than ${largestBytes}`)
if (process.argv.includes('--check')) {
  if (!upToDate) throw new Error('src/tokens is stale: run "npm run generate:models"')
  console.log('src/tokens/models.json is up to date')
} else {
  writeFileSync(target, text)
  writeFileSync(windowsTarget, windows)
  console.log(`src/tokens/models.json: ${bytes} bytes from ${sourcePackage} ${version}`)
}
