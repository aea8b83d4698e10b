import type { StepReport } from 'tamp'
import { formatCount, formatNumber } from './numbers.ts'

/** What the steps of a compaction did to so many parts; a step that is not here is called by its name. */
const words: Readonly<Record<string, (parts: number) => string>> = {
  replace: (parts) => `folded ${formatCount(parts, 'message')} into the checkpoint`,
  'collapse-repeated-failures': (parts) => `put ${formatCount(parts, 'repeated failure')} together`,
  'drop-stale-media': (parts) =>
    `left out ${formatCount(parts, 'old image or file', 'old images or files')}`,
  'drop-stale-reasoning': (parts) => `left out ${formatCount(parts, 'block')} of old reasoning`,
  'evict-superseded-results': (parts) =>
    `left out ${formatCount(parts, 'tool result')} that a later one replaces`,
  'squash-large-results': (parts) => `shortened ${formatCount(parts, 'large tool result')}`,
  'thin-old-results': (parts) => `cut ${formatCount(parts, 'old tool result')} to the beginning`,
  'last-rung: result': (parts) => `shortened ${formatCount(parts, 'new tool result')}`,
  'last-rung: arguments': (parts) =>
    `shortened the arguments of ${formatCount(parts, 'tool call')}`,
  'last-rung: paste': (parts) => `shortened the longest paste of ${messages(parts)}`,
  'last-rung: media': (parts) =>
    `left out ${formatCount(parts, 'image or file', 'images or files')}`,
}

/** Gives back what a step did and what that freed, in words. */
export function stepWords({ name, changedParts, freedTokens }: StepReport): string {
  const done = words[name]?.(changedParts) ?? `${name}: ${formatCount(changedParts, 'part')}`
  return `${done}, ${formatNumber(freedTokens)} tokens freed`
}

function messages(count: number): string {
  return count === 1 ? 'a message' : formatCount(count, 'message')
}
