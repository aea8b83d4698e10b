import type { Edit } from '../core/edit.ts'
import { placedWhere } from '../core/exchange.ts'
import type { Invariant } from '../core/invariant.ts'
import type { OpaquePart, Unit, View } from '../core/model.ts'

/**
 * The result of a tool that the provider runs itself stands behind its call; both are in the assistant's turn.
 *
 * Anthropic, 400 (anthropics/claude-code#64383): "unexpected `tool_use_id` found in `advisor_tool_result`
 * blocks: srvtoolu_…. Each `advisor_tool_result` block must have a corresponding `server_tool_use` block
 * before it."
 *
 * Repair: a server result without its call goes; it is never changed.
 */
export const serverResultsHaveCalls: Invariant = {
  name: 'server-results-have-calls',
  refusedBy: ['anthropic-messages'],
  cuts: (view) => {
    const cuts = new Array<boolean>(view.units.length + 1).fill(true)
    for (const span of pairs(view)) {
      for (let position = span.from + 1; position <= span.to; position++) cuts[position] = false
    }
    return cuts
  },
  check: (view) =>
    orphans(view).map(({ part, unit }) => ({
      rule: serverResultsHaveCalls.name,
      key: `${part.server?.callId} ${unit.seq}`,
      message: `${part.kind} in message ${unit.seq} has no call before it`,
    })),
  repair: (view) => orphans(view).map(({ part }) => removal(part)),
}

interface ServerPart {
  readonly part: OpaquePart
  readonly unit: Unit
  readonly position: number
}

function serverParts(view: View): readonly ServerPart[] {
  return placedWhere(view, (part) => part.type === 'opaque').flatMap(({ part, unit, position }) =>
    part.type === 'opaque' && part.server ? [{ part, unit, position }] : [],
  )
}

function pairs(view: View): readonly { readonly from: number; readonly to: number }[] {
  const calls = new Map<string, number>()
  return serverParts(view).flatMap(({ part, position }) => {
    const callId = part.server?.callId ?? ''
    const from = calls.get(callId)
    if (part.server?.role === 'call') calls.set(callId, position)
    return part.server?.role === 'result' && from !== undefined ? [{ from, to: position }] : []
  })
}

function orphans(view: View): readonly ServerPart[] {
  const calls = new Set<string>()
  return serverParts(view).filter(({ part }) => {
    if (part.server?.role === 'call') calls.add(part.server.callId)
    return part.server?.role === 'result' && !calls.has(part.server.callId)
  })
}

function removal(part: OpaquePart): Edit {
  return {
    type: 'remove',
    seq: part.seq,
    part: part.index,
    pass: serverResultsHaveCalls.name,
    reason: 'server result without call',
    tokensBefore: 0,
    tokensAfter: 0,
  }
}
