import { adapterFor } from '../adapters/index.ts'
import { readRequest } from '../adapters/read-request.ts'
import { floorTokens } from '../core/compaction-state.ts'
import { taskPosition } from '../core/exchange.ts'
import { CHECKPOINT_END, CHECKPOINT_START } from '../core/marker.ts'
import { type Part, textOf, type View } from '../core/model.ts'
import type { Counters } from '../tokens/counters.ts'
import { MESSAGE_TOKENS } from '../tokens/parts.ts'
import type { MeasureJob, Measurement } from './engine.ts'
import { countingFor, type RequestCounter, requestCounter } from './setup.ts'

/**
 * Gives back what a request takes, by segment. Linear in the request. Rejects with `invalid-conversation` and with
 * `ranks-unavailable`.
 */
export async function measureRequest(job: MeasureJob, counters: Counters): Promise<Measurement> {
  const { view, head } = readRequest(adapterFor(job.request, job.format), job.request)
  const counter = requestCounter(head, await countingFor(head, counters))
  return measureView(view, counter, job.limitTokens)
}

/** Gives back what a view takes, by segment, with the overhead that stands before it. */
export function measureView(
  view: View,
  counter: RequestCounter,
  limitTokens: number | undefined,
): Measurement {
  const messages = view.units.map((unit) => ({
    seq: unit.seq,
    role: unit.role,
    tokens: counter.countUnit(unit),
  }))
  const conversation = messages.reduce((sum, message) => sum + message.tokens, 0)
  const overhead = counter.systemTokens + counter.toolTokens
  const totalTokens = conversation + overhead
  return {
    totalTokens,
    limitTokens,
    floorTokens: floorTokens(counter, overhead, view),
    freeTokens: limitTokens === undefined ? undefined : limitTokens - totalTokens,
    counting: counter.counting,
    segments: segmentsOf(view, counter, conversation),
    messages,
  }
}

function segmentsOf(
  view: View,
  counter: RequestCounter,
  conversation: number,
): Measurement['segments'] {
  const parts = view.units.flatMap((unit) => unit.parts)
  const media = sum(parts.filter((part) => part.type === 'media').map(counter.countPart))
  const checkpoint = sum(parts.map((part) => counter.countText(splitText(part)?.checkpoint ?? '')))
  const task = taskTokens(view, counter)
  return {
    system: counter.systemTokens,
    tools: counter.toolTokens,
    task,
    checkpoint,
    media,
    turns: conversation - task - checkpoint - media,
  }
}

/** The task ends where the checkpoint begins: what follows it in the same message is the tail's. */
function taskTokens(view: View, counter: RequestCounter): number {
  const head = view.units[taskPosition(view)]
  let tokens = head ? MESSAGE_TOKENS : 0
  for (const part of head?.parts ?? []) {
    const split = splitText(part)
    if (split) return tokens + counter.countText(split.before)
    if (part.type !== 'media') tokens += counter.countPart(part)
  }
  return tokens
}

interface SplitText {
  readonly before: string
  /** Marks included. */
  readonly checkpoint: string
}

/** A text taken apart at the checkpoint inside it; `undefined` where it has none. */
function splitText(part: Part): SplitText | undefined {
  const text = part.type === 'text' ? textOf(part) : ''
  const from = text.indexOf(CHECKPOINT_START)
  const to = text.indexOf(CHECKPOINT_END, from)
  if (from === -1 || to === -1) return undefined
  return { before: text.slice(0, from), checkpoint: text.slice(from, to + CHECKPOINT_END.length) }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
