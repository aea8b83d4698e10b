import type { Format } from '../../src/core/model.ts'
import { anthropicRules } from './oracle/anthropic.ts'
import type { BrokenRule, JudgedRequest } from './oracle/broken-rule.ts'
import { commonRules } from './oracle/everywhere.ts'
import { openaiRules } from './oracle/openai.ts'

export type { BrokenRule, JudgedRequest } from './oracle/broken-rule.ts'

/**
 * A naive judge of histories, written from the published rules and apart from `src`. Gives back every rule that a
 * request breaks: those for which its provider refuses it (`refused`), and those that hold everywhere (`common`).
 * Calls in the last message may stay open: they are about to run.
 */
export function brokenRules(format: Format, request: JudgedRequest): BrokenRule[] {
  const own = format === 'openai-chat' ? openaiRules(request) : anthropicRules(request)
  return [...own, ...commonRules(format, request)]
}

/** Those for which the provider refuses the request. */
export function refusals(format: Format, request: JudgedRequest): BrokenRule[] {
  return brokenRules(format, request).filter((broken) => broken.level === 'refused')
}

/**
 * What a compaction broke: everything for which the provider refuses the output, since that is to be repaired,
 * and each common rule that is broken more often in the output than in the input.
 */
export function newlyBroken(
  format: Format,
  input: JudgedRequest,
  output: JudgedRequest,
): BrokenRule[] {
  const before = new Map<string, number>()
  for (const { rule } of brokenRules(format, input)) before.set(rule, (before.get(rule) ?? 0) + 1)
  return brokenRules(format, output).filter((broken) => {
    if (broken.level === 'refused') return true
    const left = before.get(broken.rule) ?? 0
    before.set(broken.rule, left - 1)
    return left <= 0
  })
}
