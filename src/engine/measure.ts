import { adapterFor } from '../adapters/index.ts'
import { taskPosition } from '../core/exchange.ts'
import { mustStay } from '../core/keep.ts'
import { CHECKPOINT_END, CHECKPOINT_START } from '../core/marker.ts'
import { type Part, textOf, type View } from '../core/model.ts'
import type { MeasureJob, Measurement } from './engine.ts'
import { type RequestCounter, requestCounter } from './setup.ts'

/** Gives back what a request takes, by segment. Linear in the request. Throws `invalid-conversation`. */
export function measureRequest(job: MeasureJob): Measurement {
  const { view, head } = adapterFor(job.request, job.format).read(job.request)
  const counter = requestCounter(head)
  const messages = view.units.map((unit) => ({
    seq: unit.seq,
    role: unit.role,
    tokens: counter.countUnit(unit),
  }))
  const conversation = messages.reduce((sum, message) => sum + message.tokens, 0)
  const overhead = counter.systemTokens + counter.toolTokens
  const totalTokens = conversation + overhead
  const floor = mustStay(view).reduce((sum, unit) => sum + counter.countUnit(unit), overhead)
  return {
    totalTokens,
    limitTokens: job.limitTokens,
    floorTokens: floor,
    freeTokens: job.limitTokens === undefined ? undefined : job.limitTokens - totalTokens,
    counting: counter.counter.isEstimated() ? 'estimated' : 'exact',
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
  const checkpoint = sum(parts.map((part) => counter.countText(checkpointOf(part))))
  const head = view.units[taskPosition(view)]
  const headMedia = sum(
    (head?.parts ?? []).filter((part) => part.type === 'media').map(counter.countPart),
  )
  const headCheckpoint = sum(
    (head?.parts ?? []).map((part) => counter.countText(checkpointOf(part))),
  )
  const task = head ? Math.max(0, counter.countUnit(head) - headMedia - headCheckpoint) : 0
  return {
    system: counter.systemTokens,
    tools: counter.toolTokens,
    task,
    checkpoint,
    media,
    turns: conversation - task - checkpoint - media,
  }
}

/** The checkpoint inside a text, marks included; empty where it has none. */
function checkpointOf(part: Part): string {
  const text = part.type === 'text' ? textOf(part) : ''
  const from = text.indexOf(CHECKPOINT_START)
  const to = text.indexOf(CHECKPOINT_END, from)
  return from === -1 || to === -1 ? '' : text.slice(from, to + CHECKPOINT_END.length)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
