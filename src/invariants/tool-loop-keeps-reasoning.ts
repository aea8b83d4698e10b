import { toolLoopStart } from '../core/exchange.ts'
import type { Invariant } from '../core/invariant.ts'
import { hasCalls, type Part, type Unit, type View } from '../core/model.ts'
import { originalOf } from '../core/originals.ts'

/**
 * Within the running tool loop (from the newest user message without results to the end) an assistant message
 * that calls tools keeps its reasoning.
 *
 * Anthropic, 400 (anomalyco/opencode#3077): "messages.1.content.0.type: Expected `thinking` or
 * `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must
 * start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We
 * recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`."
 * DeepSeek over OpenAI chat (mnfst/modelparams.dev#29): "The `reasoning_content` in the thinking mode must be
 * passed back to the API."
 */
export const toolLoopKeepsReasoning: Invariant = {
  name: 'tool-loop-keeps-reasoning',
  refusedBy: ['openai-chat', 'anthropic-messages'],
  check: (view) =>
    view.units.slice(toolLoopStart(view)).flatMap((unit) =>
      hasCalls(unit) && missesReasoning(view, unit)
        ? [
            {
              rule: toolLoopKeepsReasoning.name,
              key: String(unit.seq),
              message: `message ${unit.seq} of the running tool loop lost its reasoning`,
            },
          ]
        : [],
    ),
}

function missesReasoning(view: View, unit: Unit): boolean {
  const before = originalOf(view.originals, unit.seq)
  return before !== undefined && reasoningCount(view, unit) < reasoningCount(view, before)
}

/** Reasoning without the signature that the provider asks for is not missed: it would be refused. */
function reasoningCount({ dialect }: View, unit: Unit): number {
  const counts = (part: Part) =>
    part.type === 'reasoning' && (part.signed || !dialect.signsReasoning)
  return unit.parts.filter(counts).length
}
