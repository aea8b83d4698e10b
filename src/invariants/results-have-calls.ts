import type { Edit } from '../core/edit.ts'
import { exchangesOf, isResult, type Placed, placedWhere } from '../core/exchange.ts'
import type { Invariant } from '../core/invariant.ts'
import {
  hasResults,
  type Part,
  resultWithContent,
  type ToolResultPart,
  type View,
} from '../core/model.ts'

/**
 * A result directly follows the turn that holds its call.
 *
 * OpenAI chat, 400 (smarter-sh/smarter#264, their spelling): "Invalid parameter: messages with role 'tool'
 * must be a response to a preceeding message with 'tool_calls'." DeepSeek (FoundationAgents/OpenManus#744)
 * has the same sentence with "preceding".
 *
 * Anthropic, 400 (anthropics/claude-code#13460, at `messages.0` after trimming the head #18947):
 * "messages.48.content.1: unexpected `tool_use_id` found in `tool_result` blocks: toolu_…. Each `tool_result`
 * block must have a corresponding `tool_use` block in the previous message."
 *
 * Repair: a result whose call is not there goes, with the media inside it.
 */
export const resultsHaveCalls: Invariant = {
  name: 'results-have-calls',
  refusedBy: ['openai-chat', 'anthropic-messages'],
  cuts: (view) => [...view.units.map((unit) => unit.role !== 'tool' && !hasResults(unit)), true],
  check: (view) =>
    orphanResults(view).map(({ part, unit }) => ({
      rule: resultsHaveCalls.name,
      key: `${part.callId} ${unit.seq}`,
      message: `result of ${part.callId} in message ${unit.seq} does not directly follow its call`,
    })),
  repair: (view) => orphanResults(view).flatMap(({ part, unit }) => removal(unit.parts, part)),
}

function orphanResults(view: View): readonly Placed<ToolResultPart>[] {
  const answering = new Set<Part>()
  for (const exchange of exchangesOf(view)) {
    const ids = new Set(exchange.calls.map((call) => call.part.callId))
    for (const answer of exchange.answers.filter(isResult)) {
      if (ids.has(answer.part.callId)) answering.add(answer.part)
    }
  }
  return placedWhere(view, (part) => part.type === 'tool-result' && !answering.has(part)).filter(
    isResult,
  )
}

/** Takes away a result and the media inside it. */
export function removal(parts: readonly Part[], result: ToolResultPart): readonly Edit[] {
  return resultWithContent(parts, result)
    .filter((part) => part.seq >= 0)
    .map((part) => ({
      type: 'remove',
      seq: part.seq,
      part: part.index,
      pass: resultsHaveCalls.name,
      reason: 'result without call',
      tokensBefore: 0,
      tokensAfter: 0,
    }))
}
