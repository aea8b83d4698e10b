/** The simulator's own counter, off the main thread and independent of Tamp's. */
import { clearMergeCache, countTokens } from 'gpt-tokenizer/encoding/o200k_base'

/** Text that spells a special token is ordinary text; one shared object, as the tokenizer caches by it. */
const asText = { disallowedSpecial: new Set<string>() }

/** Runs without a break longer than this cost quadratic time in the tokenizer, so they are sliced. */
const longestRun = 2_000

self.addEventListener('message', (event: MessageEvent<{ id: number; text: string }>) => {
  const { id, text } = event.data
  self.postMessage({ id, tokens: countSliced(text) })
})

function countSliced(text: string): number {
  if (!hasLongRun(text)) return countOnce(text)
  const slices = text.match(new RegExp(`[^]{1,${longestRun}}`, 'gu')) ?? []
  return slices.reduce((total, slice) => total + countOnce(slice), 0)
}

function hasLongRun(text: string): boolean {
  return new RegExp(`\\S{${longestRun}}|\\s{${longestRun}}`, 'u').test(text)
}

function countOnce(text: string): number {
  const tokens = countTokens(text, asText)
  // The merge cache keeps every piece it ever saw; a page that stays open must not grow with it.
  clearMergeCache()
  return tokens
}
