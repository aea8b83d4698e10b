import { isDeepStrictEqual } from 'node:util'
import type { Check } from '../case-types.ts'
import { blocksOf, callsOf, isRecord, type Native, resultsOf } from '../native.ts'

/** No message is empty, blank, or (assistant) made of thinking alone. */
export const noEmptyContent: Check = ({ output }) => {
  return output.messages.flatMap((message, index) => {
    const fault = emptiness(message)
    return fault === undefined ? [] : [`message ${index} (${String(message.role)}) ${fault}`]
  })
}

function emptiness(message: Native): string | undefined {
  const { role, content } = message
  if (content === null || content === undefined) {
    return role === 'assistant' && callsOf(message).length > 0 ? undefined : 'has no content'
  }
  if (typeof content === 'string') {
    if (role === 'tool' && content === '') return undefined
    return content.trim() === '' ? 'is blank' : undefined
  }
  const blocks = blocksOf(message)
  if (blocks.length === 0) return 'is an empty list'
  if (hasBlankText(blocks)) return 'holds a blank text block'
  return role === 'assistant' && blocks.every(isThinking) && callsOf(message).length === 0
    ? 'is made of thinking alone'
    : undefined
}

function hasBlankText(blocks: readonly Native[]): boolean {
  return blocks.some((block) => {
    if (block.type === 'tool_result') return hasBlankText(blocksOf(block))
    return block.type === 'text' && (typeof block.text !== 'string' || block.text.trim() === '')
  })
}

/** True for thinking, readable or redacted. */
export function isThinking(block: Native): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking'
}

/** No two neighbours have one role; system messages are passed over, a run of tool messages is a step between. */
export const rolesAlternate: Check = ({ output }) => {
  const roles = output.messages.map((message) => message.role).filter((role) => role !== 'system')
  return roles.flatMap((role, index) => {
    return role !== 'tool' && role === roles[index - 1]
      ? [`two ${String(role)} messages stand side by side`]
      : []
  })
}

/** At most one system message; it is the first and says what the input's says. */
export const singleSystem: Check = ({ input, output }) => {
  const before = input.messages.filter((message) => message.role === 'system')
  const after = output.messages.flatMap((message, index) =>
    message.role === 'system' ? [index] : [],
  )
  if (after.length > 1) return [`there are ${after.length} system messages`]
  if (after.length === 1 && after[0] !== 0) return [`the system message stands at ${after[0]}`]
  const text = output.messages[after[0] ?? -1]?.content
  return isDeepStrictEqual(text, before[0]?.content)
    ? []
    : ['the system text is not that of the input']
}

/** The last message is a user's or a result. */
export const endsWithUser: Check = ({ output }) => {
  const role = output.messages.at(-1)?.role
  return role === 'user' || role === 'tool' ? [] : [`the request ends with ${String(role)}`]
}

/** Thinking that is there is untouched; the turn whose result was just returned keeps all of it. */
export const thinkingIntact: Check = ({ input, output }) => {
  const originals = input.messages.flatMap(thinkingBlocks)
  const changed = output.messages
    .flatMap(thinkingBlocks)
    .filter((block) => !originals.some((original) => isDeepStrictEqual(original, block)))
  const kept = output.messages.flatMap(thinkingBlocks)
  const lost = openTurnThinking(input.messages).filter(
    (block) => !kept.some((other) => isDeepStrictEqual(other, block)),
  )
  return [
    ...changed.map((block) => `a thinking block is none of the input's: ${excerpt(block)}`),
    ...lost.map((block) => `the open turn lost its thinking: ${excerpt(block)}`),
  ]
}

/** The thinking blocks of a message without their cache marks, which bind nothing. */
function thinkingBlocks(message: Native): Native[] {
  return blocksOf(message)
    .filter(isThinking)
    .map(({ cache_control: _mark, ...block }) => block)
}

function openTurnThinking(messages: readonly Native[]): Native[] {
  const last = messages.at(-1)
  if (last === undefined || resultsOf(last).length === 0) return []
  const answered = new Set(resultsOf(last).map((result) => result.callId))
  const caller = messages.findLast((message) =>
    callsOf(message).some((call) => answered.has(call.callId)),
  )
  return caller === undefined ? [] : thinkingBlocks(caller)
}

function excerpt(block: Native): string {
  return JSON.stringify(block).slice(0, 80)
}

/** Most cache marks that a request may hold. */
const MOST_CACHE_MARKS = 4

/** At most four cache marks in the request, none on thinking or on a blank text. */
export const cacheMarksLegal: Check = ({ output }) => {
  const marked = [output.system, output.tools, output.messages].flatMap(markedIn)
  const wrong = marked.filter(
    (block) => isThinking(block) || (block.type === 'text' && String(block.text).trim() === ''),
  )
  return [
    ...(marked.length > MOST_CACHE_MARKS ? [`there are ${marked.length} cache marks`] : []),
    ...wrong.map((block) => `a cache mark stands on ${excerpt(block)}`),
  ]
}

/** Every object at any depth that carries a cache mark. */
export function markedIn(value: unknown): Native[] {
  if (Array.isArray(value)) return value.flatMap(markedIn)
  if (!isRecord(value)) return []
  const inside = Object.values(value).flatMap(markedIn)
  return value.cache_control === undefined || value.cache_control === null
    ? inside
    : [value, ...inside]
}
