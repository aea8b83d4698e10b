import type { Check } from '../case-types.ts'
import { callsById, callsOf, isRecord, type Native, resultsOf } from '../native.ts'
import { parseJson } from '../texts.ts'

/**
 * Every call is answered exactly once, right after the message that makes it, and every result answers one.
 * Only a call in the last message of the input may stay unanswered.
 */
export const toolPairsLegal: Check = ({ input, output }) => {
  const mayStayOpen = new Set(callsOf(input.messages.at(-1)).map((call) => call.callId))
  const pairs = input.format === 'openai-chat' ? openaiPairs : anthropicPairs
  return pairs(output.messages, mayStayOpen)
}

function openaiPairs(messages: readonly Native[], mayStayOpen: ReadonlySet<string>): string[] {
  const inRun = new Set<number>()
  const problems = messages.flatMap((message, index) => {
    const calls = callsOf(message)
    if (calls.length === 0) return []
    const run = toolRunAfter(messages, index)
    for (let at = index + 1; at <= index + run.length; at++) inRun.add(at)
    const answered = run.flatMap(resultsOf).map((result) => result.callId)
    const isLast = index === messages.length - 1
    return [
      ...unanswered(calls, answered, (id) => isLast && mayStayOpen.has(id)),
      ...withoutCall(calls, answered),
    ]
  })
  const loose = messages.flatMap((message, index) => {
    if (message.role !== 'tool' || inRun.has(index)) return []
    return [`tool message ${index} does not stand in the run after its call`]
  })
  return [...problems, ...loose]
}

function toolRunAfter(messages: readonly Native[], index: number): Native[] {
  const rest = messages.slice(index + 1)
  const end = rest.findIndex((message) => message.role !== 'tool')
  return end === -1 ? rest : rest.slice(0, end)
}

function anthropicPairs(messages: readonly Native[], mayStayOpen: ReadonlySet<string>): string[] {
  return messages.flatMap((message, index) => {
    const next = messages[index + 1]
    const before = messages[index - 1]
    const calls = message.role === 'assistant' ? callsOf(message) : []
    const answered = next?.role === 'user' ? resultsOf(next).map((result) => result.callId) : []
    const results = resultsOf(message).map((result) => result.callId)
    const asked = before?.role === 'assistant' ? callsOf(before) : []
    return [
      ...unanswered(calls, answered, (id) => next === undefined && mayStayOpen.has(id)),
      ...withoutCall(asked, results),
      ...(resultsComeFirst(message) ? [] : [`a block stands before a result in message ${index}`]),
    ]
  })
}

function unanswered(
  calls: readonly { callId: string }[],
  answered: readonly string[],
  mayStayOpen: (callId: string) => boolean,
): string[] {
  return calls.flatMap(({ callId }) => {
    const times = answered.filter((id) => id === callId).length
    if (times === 1 || (times === 0 && mayStayOpen(callId))) return []
    return [`call ${callId} is answered ${times} times by what follows it`]
  })
}

function withoutCall(calls: readonly { callId: string }[], answered: readonly string[]): string[] {
  const asked = new Set(calls.map((call) => call.callId))
  return answered
    .filter((id) => !asked.has(id))
    .map((id) => `result ${id} answers no call before it`)
}

function resultsComeFirst(message: Native): boolean {
  if (!Array.isArray(message.content) || message.role !== 'user') return true
  const areResults = message.content.map((block) => isRecord(block) && block.type === 'tool_result')
  return areResults.lastIndexOf(true) < areResults.filter(Boolean).length
}

/** Longest JSON of an argument that must stay as it is. */
const SHORT_VALUE_CHARACTERS = 64

/** Arguments parse to an object, and each short value equals the original's, type included. */
export const toolArgumentsValid: Check = ({ input, output }) => {
  const originals = callsById(input.messages)
  return output.messages.flatMap(callsOf).flatMap((call) => {
    const value = parseJson(call.argumentsText)
    if (!isRecord(value)) return [`the arguments of ${call.callId} are no JSON object`]
    const original = parseJson(originals.get(call.callId)?.argumentsText ?? '')
    return isRecord(original) ? changedShortValues(original, value, call.callId) : []
  })
}

function changedShortValues(original: Native, value: Native, place: string): string[] {
  return Object.entries(original).flatMap(([key, before]) => {
    const after = value[key]
    const isShort = JSON.stringify(before).length <= SHORT_VALUE_CHARACTERS
    if (isShort) {
      return JSON.stringify(after) === JSON.stringify(before) ? [] : [`${place}.${key} was changed`]
    }
    return isRecord(before) && isRecord(after)
      ? changedShortValues(before, after, `${place}.${key}`)
      : []
  })
}
