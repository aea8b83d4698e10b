import { isDeepStrictEqual } from 'node:util'
import { callsOf, isRecord, type Native, resultsOf } from '../native.ts'
import type { MergedTurn } from './anthropic.ts'
import { type BrokenRule, type JudgedRequest, ruleOf } from './broken-rule.ts'

/** "messages.1.content.0.thinking.signature: Field required" */
const signatureMissing = ruleOf('signature-missing', 'refused')
/**
 * "Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final
 * `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and
 * `tool_result` blocks)."
 */
const loopWithoutThinking = ruleOf('loop-without-thinking', 'refused')
/**
 * "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must
 * remain as they were in the original response."
 */
const thinkingEdited = ruleOf('thinking-edited', 'refused')
const thinkingDropped = ruleOf('thinking-dropped-in-loop', 'refused')

/** Rules of thinking that one request can be judged by. */
export function thinkingRules(request: JudgedRequest, turns: readonly MergedTurn[]): BrokenRule[] {
  const unsigned = turns.flatMap((turn) =>
    turn.blocks
      .filter((block) => block.type === 'thinking' && typeof block.signature !== 'string')
      .map(() => signatureMissing(turn.at, 'no signature')),
  )
  return [...unsigned, ...loopRules(request, turns)]
}

function loopRules({ thinking }: JudgedRequest, turns: readonly MergedTurn[]): BrokenRule[] {
  const isOn = isRecord(thinking) && thinking.type === 'enabled'
  const [caller, results] = turns.slice(-2)
  if (!isOn || caller === undefined || results === undefined) return []
  const isLoop = resultsOf({ content: results.blocks }).length > 0
  if (!isLoop || isThinking(caller.blocks[0])) return []
  return [loopWithoutThinking(caller.at, String(caller.blocks[0]?.type))]
}

/**
 * What became of the thinking between two requests: a block that is there is one of the original's, and the open
 * tool loop (what follows the last user message that is not results alone) keeps that of each turn it still has.
 */
export function thinkingChanges(before: readonly Native[], after: readonly Native[]): BrokenRule[] {
  const originals = before.flatMap(thinkingOf)
  const edited = after.flatMap((message, at) =>
    thinkingOf(message)
      .filter((block) => !originals.some((original) => isDeepStrictEqual(original, block)))
      .map((block) => thinkingEdited(at, JSON.stringify(block).slice(0, 80))),
  )
  return [...edited, ...droppedInLoop(before, after)]
}

function droppedInLoop(before: readonly Native[], after: readonly Native[]): BrokenRule[] {
  const kept = after.flatMap(thinkingOf)
  const called = new Set(after.flatMap(callsOf).map((call) => call.callId))
  return (
    openLoop(before)
      .filter((message) => callsOf(message).some((call) => called.has(call.callId)))
      .flatMap(thinkingOf)
      // Without its signature a block is refused where it stands: to drop it is the repair.
      .filter((block) => block.type !== 'thinking' || typeof block.signature === 'string')
      .filter((block) => !kept.some((other) => isDeepStrictEqual(other, block)))
      .map((block) => thinkingDropped(-1, JSON.stringify(block).slice(0, 80)))
  )
}

/** The assistant messages since the last user message without results. */
function openLoop(messages: readonly Native[]): readonly Native[] {
  const start = messages.findLastIndex(
    (message) => message.role === 'user' && resultsOf(message).length === 0,
  )
  return messages.slice(start + 1).filter((message) => message.role === 'assistant')
}

function thinkingOf(message: Native): Native[] {
  const content = Array.isArray(message.content) ? message.content.filter(isRecord) : []
  return content.filter(isThinking).map(({ cache_control: _mark, ...block }) => block)
}

function isThinking(block: Native | undefined): boolean {
  return block?.type === 'thinking' || block?.type === 'redacted_thinking'
}
