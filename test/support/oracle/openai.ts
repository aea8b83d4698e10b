import { callsOf, type Native } from '../native.ts'
import { stringsIn } from '../texts.ts'
import { type BrokenRule, eachMessage, type JudgedRequest, ruleOf } from './broken-rule.ts'

/**
 * "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.
 * The following tool_call_ids did not have response messages: call_…"
 */
const callUnanswered = ruleOf('call-unanswered', 'refused')
/** "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'." */
const resultWithoutCall = ruleOf('result-without-call', 'refused')
/** "Invalid 'input[0].content': string too long. Expected a string with maximum length 10485760" */
const stringTooLong = ruleOf('string-too-long', 'refused')
const LONGEST_STRING = 10_485_760

/** Mistral counts: "Not the same number of function calls and responses". OpenAI is not recorded to mind. */
const resultTwice = ruleOf('result-twice', 'common')
const idNotUnique = ruleOf('id-not-unique', 'common')

/** What OpenAI Chat Completions refuses, and what its stricter relatives refuse of pairs. */
export function openaiRules({ messages }: JudgedRequest): BrokenRule[] {
  return [...pairRules(messages), ...idRules(messages), ...lengthRules(messages)]
}

function pairRules(messages: readonly Native[]): BrokenRule[] {
  const found: BrokenRule[] = []
  let open = new Map<string, number>()
  let caller = -1
  const close = (nextAt: number): void => {
    // Calls of the very last message are about to run; there is nothing behind them.
    if (caller === nextAt - 1 && nextAt === messages.length) return
    for (const [id, times] of open) if (times === 0) found.push(callUnanswered(caller, id))
  }
  messages.forEach((message, at) => {
    if (message.role === 'tool') {
      const id = String(message.tool_call_id)
      const times = open.get(id)
      if (times === undefined) found.push(resultWithoutCall(at, id))
      else if (times > 0) found.push(resultTwice(at, id))
      if (times !== undefined) open.set(id, times + 1)
      return
    }
    close(at)
    open = new Map(callsOf(message).map((call) => [call.callId, 0]))
    caller = at
  })
  close(messages.length)
  return found
}

function idRules(messages: readonly Native[]): BrokenRule[] {
  const seen = new Set<string>()
  return eachMessage(messages, (message, at) => {
    return callsOf(message).flatMap(({ callId }) => {
      if (seen.has(callId)) return [idNotUnique(at, callId)]
      seen.add(callId)
      return []
    })
  })
}

function lengthRules(messages: readonly Native[]): BrokenRule[] {
  return eachMessage(messages, (message, at) => {
    const longest = Math.max(0, ...stringsIn(message).map((text) => text.length))
    return longest > LONGEST_STRING ? [stringTooLong(at, `${longest} characters`)] : []
  })
}
