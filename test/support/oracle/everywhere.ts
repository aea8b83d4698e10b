import type { Format } from '../../../src/core/model.ts'
import { blocksOf, callsOf, isRecord, type Native, resultsOf } from '../native.ts'
import { type BrokenRule, eachMessage, isBlank, type JudgedRequest, ruleOf } from './broken-rule.ts'

/** Rules that hold everywhere (FORMATS 1); a provider may be laxer. */
const firstIsNoUser = ruleOf('first-is-no-user', 'common')
const endsWithoutUser = ruleOf('ends-without-user', 'common')
const emptyContent = ruleOf('empty-content', 'common')
const emptyResult = ruleOf('empty-result', 'common')
const thinkingAlone = ruleOf('thinking-alone', 'common')

/** The rules of FORMATS 1 that do not depend on the format's way of pairing. */
export function commonRules(format: Format, { messages }: JudgedRequest): BrokenRule[] {
  const isSystem = (message: Native): boolean =>
    message.role === 'system' || message.role === 'developer'
  const spoken = messages.filter((message) => !isSystem(message))
  const [first, last] = [spoken[0], spoken.at(-1)]
  const isResultFirst = first !== undefined && resultsOf(first).length > 0
  const endsOpen = callsOf(last).length > 0
  return [
    ...(first === undefined || (first.role === 'user' && !isResultFirst)
      ? []
      : [firstIsNoUser(messages.indexOf(first), String(first.role))]),
    ...(last === undefined || last.role === 'user' || last.role === 'tool' || endsOpen
      ? []
      : [endsWithoutUser(messages.length - 1, String(last.role))]),
    ...eachMessage(messages, emptyRules),
    ...(format === 'anthropic-messages' ? eachMessage(messages, thinkingAloneRules) : []),
  ]
}

function emptyRules(message: Native, at: number): BrokenRule[] {
  const { role, content } = message
  const emptyResults = resultsWithoutContent(message).map((id) => emptyResult(at, id))
  if (role === 'tool' || emptyResults.length > 0) return emptyResults
  if (role === 'assistant' && callsOf(message).length > 0 && (content ?? '') === '') return []
  const isEmpty = Array.isArray(content)
    ? content.length === 0 && callsOf(message).length === 0
    : isBlank(content)
  return isEmpty ? [emptyContent(at, JSON.stringify(content) ?? 'undefined')] : []
}

function resultsWithoutContent(message: Native): string[] {
  const holders = message.role === 'tool' ? [message] : blocksOf(message).filter(isResultBlock)
  return holders
    .filter(({ content }) => (Array.isArray(content) ? content.length === 0 : isBlank(content)))
    .map((holder) => String(holder.tool_call_id ?? holder.tool_use_id))
}

function isResultBlock(block: Native): boolean {
  return block.type === 'tool_result'
}

function thinkingAloneRules(message: Native, at: number): BrokenRule[] {
  const content = Array.isArray(message.content) ? message.content.filter(isRecord) : []
  const isAlone =
    content.length > 0 && content.every((block) => /thinking$/.test(String(block.type)))
  return isAlone ? [thinkingAlone(at, `${content.length} blocks`)] : []
}
