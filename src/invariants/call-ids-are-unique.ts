import type { Edit } from '../core/edit.ts'
import { exchangesOf, isResult, type Placed } from '../core/exchange.ts'
import type { Invariant } from '../core/invariant.ts'
import type { ToolCallPart, View } from '../core/model.ts'

/**
 * No two calls of one turn share an id. A later turn may use an id again: a recorded request that does was
 * accepted.
 *
 * Anthropic, 400 (trycua/cua#524, BerriAI/litellm#23510, NachoSEO/claudegram#12): "messages.1.content.1:
 * `tool_use` ids must be unique".
 *
 * Repair: the second of two equal ids gets a new one, and so does the second result, if there is one.
 */
export const callIdsAreUnique: Invariant = {
  name: 'call-ids-are-unique',
  refusedBy: ['anthropic-messages'],
  check: (view) =>
    repeatedIds(view).map(({ call }) => ({
      rule: callIdsAreUnique.name,
      key: `${call.part.callId} ${call.unit.seq} ${call.part.index}`,
      message: `call id ${call.part.callId} is used again in message ${call.unit.seq}`,
    })),
  repair: (view) => {
    const used = allIds(view)
    return repeatedIds(view).flatMap(({ call, results }) => {
      const callId = freeId(call.part.callId, used)
      return [call, ...results]
        .filter(({ part }) => part.seq >= 0)
        .map(({ part }) => rename(part, callId))
    })
  },
}

interface Repeated {
  readonly call: Placed<ToolCallPart>
  readonly results: readonly Placed[]
}

function repeatedIds(view: View): readonly Repeated[] {
  return exchangesOf(view).flatMap((exchange) => {
    const seen = new Map<string, number>()
    return exchange.calls.flatMap((call) => {
      const id = call.part.callId
      const nth = seen.get(id) ?? 0
      seen.set(id, nth + 1)
      if (nth === 0) return []
      const results = exchange.answers.filter(isResult).filter(({ part }) => part.callId === id)
      return [{ call, results: results.slice(nth, nth + 1) }]
    })
  })
}

function allIds(view: View): Set<string> {
  const ids = new Set<string>()
  for (const unit of view.units) {
    for (const part of unit.parts) if (part.type === 'tool-call') ids.add(part.callId)
  }
  return ids
}

/** The first of `id_2`, `id_3`, … that no call uses; letters every provider accepts. */
function freeId(callId: string, used: Set<string>): string {
  let number = 2
  while (used.has(`${callId}_${number}`)) number++
  used.add(`${callId}_${number}`)
  return `${callId}_${number}`
}

function rename(part: Placed['part'], callId: string): Edit {
  return {
    type: 'rename',
    seq: part.seq,
    part: part.index,
    callId,
    pass: callIdsAreUnique.name,
    reason: 'call id used twice',
    tokensBefore: 0,
    tokensAfter: 0,
  }
}
