import {
  hasCalls,
  hasResults,
  isUserMessage,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
  type Unit,
  type View,
} from './model.ts'

/** Neighbouring units that the provider reads as one turn. Positions index `view.units`; `to` is exclusive. */
export interface Turn {
  readonly role: Unit['role']
  readonly from: number
  readonly to: number
}

/**
 * Gives back the turns of a view. A run of `tool` messages is one turn; joined units are one message; other
 * neighbours of one role are one turn only where the dialect merges them.
 */
export function turnsOf(view: View): readonly Turn[] {
  const turns: { -readonly [Field in keyof Turn]: Turn[Field] }[] = []
  for (const [position, unit] of view.units.entries()) {
    const last = turns[turns.length - 1]
    if (last && last.role === unit.role && continues(view, unit)) last.to = position + 1
    else turns.push({ role: unit.role, from: position, to: position + 1 })
  }
  return turns
}

function continues(view: View, unit: Unit): boolean {
  return unit.joined === true || unit.role === 'tool' || view.dialect.mergesTurns
}

/** A part with the position of its unit in `view.units`. */
export interface Placed<P extends Part = Part> {
  readonly part: P
  readonly unit: Unit
  readonly position: number
}

/** One assistant turn that calls tools, with the turn that directly follows it. */
export interface Exchange {
  readonly calls: readonly Placed<ToolCallPart>[]
  /** The parts of the turn behind the calls, in order, where that turn may hold results; else empty. */
  readonly answers: readonly Placed[]
  /** True where nothing follows the calls: they are about to run and may stay open. */
  readonly open: boolean
  readonly from: number
  /** Position behind the turn that calls. */
  readonly callsTo: number
  /** Position behind the answers. */
  readonly to: number
}

/** Views never change, and every rule about pairs asks for the same. */
const exchanges = new WeakMap<View, readonly Exchange[]>()

/** Gives back the turns that call tools, oldest first, each with what follows it. */
export function exchangesOf(view: View): readonly Exchange[] {
  const known = exchanges.get(view) ?? readExchanges(view)
  exchanges.set(view, known)
  return known
}

function readExchanges(view: View): readonly Exchange[] {
  const turns = turnsOf(view)
  return turns.flatMap((turn, index) => {
    if (turn.role !== 'assistant') return []
    const calls = hasCallsIn(view, turn) ? placedParts(view, turn).filter(isCall) : []
    if (calls.length === 0) return []
    const next = turns[index + 1]
    const isAnswered = next?.role === view.dialect.resultRole
    const answers = isAnswered ? placedParts(view, next) : []
    const to = isAnswered ? next.to : turn.to
    return [{ calls, answers, open: !next, from: turn.from, callsTo: turn.to, to }]
  })
}

function hasCallsIn(view: View, turn: Turn): boolean {
  for (let position = turn.from; position < turn.to; position++) {
    const unit = view.units[position]
    if (unit && hasCalls(unit)) return true
  }
  return false
}

/** Gives back the parts of a view that are like that, oldest first, with their places. */
export function placedWhere(view: View, test: (part: Part) => boolean): readonly Placed[] {
  const found: Placed[] = []
  for (let position = 0; position < view.units.length; position++) {
    const unit = view.units[position]
    for (const part of unit?.parts ?? [])
      if (unit && test(part)) found.push({ part, unit, position })
  }
  return found
}

/** Gives back the parts of a turn with their places. */
export function placedParts(view: View, turn: Turn): readonly Placed[] {
  const placed: Placed[] = []
  for (let position = turn.from; position < turn.to; position++) {
    const unit = view.units[position]
    for (const part of unit?.parts ?? []) if (unit) placed.push({ part, unit, position })
  }
  return placed
}

/** Narrows a placed part to a call. */
export function isCall(placed: Placed): placed is Placed<ToolCallPart> {
  return placed.part.type === 'tool-call'
}

/** Narrows a placed part to a result. */
export function isResult(placed: Placed): placed is Placed<ToolResultPart> {
  return placed.part.type === 'tool-result'
}

/** A result with the call that it answers. */
export interface Answered {
  readonly result: Placed<ToolResultPart>
  readonly call: Placed<ToolCallPart>
}

/** Every pass asks for them. */
const answered = new WeakMap<View, readonly Answered[]>()

/** Gives back every result whose call directly precedes it, oldest first, each call at most once. */
export function answeredCalls(view: View): readonly Answered[] {
  const known = answered.get(view) ?? readAnswered(view)
  answered.set(view, known)
  return known
}

function readAnswered(view: View): readonly Answered[] {
  return exchangesOf(view).flatMap((exchange) => {
    const open = new Map(exchange.calls.map((call) => [call.part.callId, call]))
    return exchange.answers.filter(isResult).flatMap((result) => {
      const call = open.get(result.part.callId)
      open.delete(result.part.callId)
      return call ? [{ result, call }] : []
    })
  })
}

/** A step: one user message, or one assistant turn with the results that answer it. `to` is exclusive. */
export interface StepSpan {
  readonly from: number
  readonly to: number
}

/** Gives back the steps of a view, oldest first. Together they cover every unit. */
export function stepsOf(view: View): readonly StepSpan[] {
  const steps: StepSpan[] = []
  for (const [position, unit] of view.units.entries()) {
    const last = steps[steps.length - 1]
    if (last && !startsStep(view, position, unit)) {
      steps[steps.length - 1] = { from: last.from, to: position + 1 }
    } else steps.push({ from: position, to: position + 1 })
  }
  return steps
}

/** Position where the newest step starts; 0 in a view of no units. Reads that step alone. */
export function newestStepFrom(view: View): number {
  let position = view.units.length - 1
  for (; position > 0; position--) {
    const unit = view.units[position]
    if (unit && startsStep(view, position, unit)) break
  }
  return Math.max(0, position)
}

function startsStep(view: View, position: number, unit: Unit): boolean {
  if (unit.role === 'tool' || hasResults(unit)) return false
  if (unit.role !== 'assistant' || !view.dialect.mergesTurns) return true
  const before = view.units[position - 1]
  return before?.role !== 'assistant' || !hasCalls(before)
}

/**
 * Position of the task, the first message in which a person speaks; -1 where there is none. A message that an edit
 * put there is the task only where no person speaks: a checkpoint may stand in front of a late task.
 */
export function taskPosition(view: View): number {
  const spoken = view.units.findIndex((unit) => unit.seq >= 0 && isUserMessage(unit))
  return spoken === -1 ? view.units.findIndex(isUserMessage) : spoken
}

/** Position of the newest message in which a person speaks; -1 where there is none. */
export function newestUserPosition(view: View): number {
  return view.units.findLastIndex(isUserMessage)
}

/**
 * Gives back the positions of user messages that no answer followed yet: the newest one, and every one since
 * the last assistant message without calls (SEEDS M20).
 */
export function unansweredUserPositions(view: View): readonly number[] {
  const newest = newestUserPosition(view)
  if (newest === -1) return []
  const answered = view.units.findLastIndex((unit) => unit.role === 'assistant' && !hasCalls(unit))
  const positions: number[] = []
  for (let position = Math.max(0, answered + 1); position < view.units.length; position++) {
    const unit = view.units[position]
    if (unit && isUserMessage(unit)) positions.push(position)
  }
  return positions.length > 0 ? positions : [newest]
}

/**
 * Position where the running tool loop starts: the newest turn of a person without results; 0 where none is. A
 * message behind results belongs to their turn where the dialect merges neighbours, and does not end the loop.
 */
export function toolLoopStart(view: View): number {
  const start = turnsOf(view).findLast((turn) => {
    const units = view.units.slice(turn.from, turn.to)
    return units.some(isUserMessage) && !units.some(hasResults)
  })
  return start?.from ?? 0
}
