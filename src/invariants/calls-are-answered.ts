import type { Edit, EditPlace } from '../core/edit.ts'
import { type Exchange, exchangesOf, isCall, isResult, type Placed } from '../core/exchange.ts'
import type { Invariant } from '../core/invariant.ts'
import { resultWithContent, type ToolCallPart, type View } from '../core/model.ts'

/** Stands in for a result that the history does not hold. It claims nothing about what the tool did. */
export const MISSING_RESULT = '[no result of this call was recorded]'

/**
 * A call and its result live or die together; calls in the last message may be about to run (FORMATS 1).
 *
 * OpenAI chat, 400 (router-for-me/CLIProxyAPI#2798): "An assistant message with 'tool_calls' must be followed
 * by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response
 * messages: call_…". DeepSeek says "… (insufficient tool messages following tool_calls message)".
 *
 * Anthropic, 400 (anthropics/claude-code#5060): "messages.6: `tool_use` ids were found without `tool_result`
 * blocks immediately after: toolu_…. Each `tool_use` block must have a corresponding `tool_result` block in
 * the next message."
 *
 * Repair: a result of the call that stands further down is moved up to it; else the call is answered by a
 * text that says no result was recorded.
 */
export const callsAreAnswered: Invariant = {
  name: 'calls-are-answered',
  refusedBy: ['openai-chat', 'anthropic-messages'],
  cuts: (view) => {
    const cuts = new Array<boolean>(view.units.length + 1).fill(true)
    for (const exchange of exchangesOf(view)) closeSpan(cuts, exchange)
    return cuts
  },
  check: (view) =>
    unansweredCalls(view).map(({ call }) => ({
      rule: callsAreAnswered.name,
      key: call.part.callId,
      message: `call ${call.part.callId} of ${call.part.tool} has no result directly behind it`,
    })),
  repair: (view) => repairs(view),
}

/** No tail may start behind a call and at or before the last result that answers it. */
function closeSpan(cuts: boolean[], exchange: Exchange): void {
  const ids = new Map(exchange.calls.map((call) => [call.part.callId, call.position]))
  for (const answer of exchange.answers.filter(isResult)) {
    const from = ids.get(answer.part.callId)
    if (from === undefined) continue
    for (let position = from + 1; position <= answer.position; position++) cuts[position] = false
  }
}

interface Unanswered {
  readonly call: Placed<ToolCallPart>
  readonly exchange: Exchange
}

function unansweredCalls(view: View): readonly Unanswered[] {
  return exchangesOf(view).flatMap((exchange) => {
    if (exchange.open) return []
    const answered = new Set(exchange.answers.filter(isResult).map(({ part }) => part.callId))
    return exchange.calls.flatMap((call) => {
      if (answered.has(call.part.callId)) return []
      answered.add(call.part.callId) // an id that stands twice in one turn is answered once
      return [{ call, exchange }]
    })
  })
}

function repairs(view: View): readonly Edit[] {
  const taken = new Set<string>()
  const byId = partsById(view)
  return unansweredCalls(view).flatMap(({ call, exchange }) => {
    const place = answerPlace(view, exchange)
    if (!place) return []
    const late = lateResult(byId.get(call.part.callId) ?? [], exchange.to)
    const key = late && `${late.part.seq} ${late.part.index}`
    if (!late || !key || taken.has(key)) return [standIn(call.part, place)]
    taken.add(key)
    return moveUp(view, late, place)
  })
}

/** Where an answer goes: in front of the following user turn where results live there, else behind the calls. */
function answerPlace(view: View, exchange: Exchange): EditPlace | undefined {
  const first = exchange.answers[0]
  if (view.dialect.resultRole === 'user' && first && first.unit.seq >= 0) {
    return { into: first.unit.seq, at: 'start' }
  }
  // Behind the calls themselves, so that it leaves with them.
  const last = view.units[exchange.callsTo - 1]
  return last && last.seq >= 0 ? { after: last.seq, role: view.dialect.resultRole } : undefined
}

/** Calls and results in order, by their id. */
function partsById(view: View): ReadonlyMap<string, readonly Placed[]> {
  const byId = new Map<string, Placed[]>()
  for (const [position, unit] of view.units.entries()) {
    for (const part of unit.parts) {
      if (!('callId' in part) || part.seq < 0) continue
      const own = byId.get(part.callId)
      if (own) own.push({ part, unit, position })
      else byId.set(part.callId, [{ part, unit, position }])
    }
  }
  return byId
}

/** The next result of an id; none where the id is called again before it: the result is that call's. */
function lateResult(parts: readonly Placed[], from: number): Placed | undefined {
  const next = parts.find(({ position }) => position >= from)
  return next && !isCall(next) ? next : undefined
}

function moveUp(view: View, late: Placed, place: EditPlace): readonly Edit[] {
  const base = {
    type: 'move' as const,
    seq: late.part.seq,
    place,
    pass: callsAreAnswered.name,
    reason: 'result stands apart from its call',
    tokensBefore: 0,
    tokensAfter: 0,
  }
  if (view.dialect.resultRole === 'tool') return [base]
  return resultWithContent(late.unit.parts, late.part).map((part) => ({
    ...base,
    part: part.index,
  }))
}

function standIn(call: ToolCallPart, place: EditPlace): Edit {
  return {
    type: 'insert',
    place,
    content: { type: 'tool-result', callId: call.callId, text: MISSING_RESULT, isError: true },
    pass: callsAreAnswered.name,
    reason: 'call without result',
    tokensBefore: 0,
    tokensAfter: 0,
  }
}
