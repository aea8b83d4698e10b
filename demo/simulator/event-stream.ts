import { type Completion, pieces } from './completion.ts'
import type { ToolCall } from './protocol.ts'

/** How the stream keeps time. */
export interface StreamPace {
  readonly wait: (milliseconds: number) => Promise<void>
  readonly firstPieceMs: number
  readonly pieceMs: number
  readonly signal: AbortSignal
}

/** Characters of a call's arguments in one event. */
const argumentPiece = 12

/** Gives back the completion as server-sent events, ended by `[DONE]`. An abort errors the stream. */
export function streamCompletion(
  completion: Completion,
  pace: StreamPace,
  includeUsage: boolean,
): Response {
  const events = [
    ...chunksOf(completion, includeUsage).map((chunk) => JSON.stringify(chunk)),
    '[DONE]',
  ]
  const body = paced(events, pace)
  return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
}

function paced(events: readonly string[], pace: StreamPace): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let next = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      await pace.wait(next === 0 ? pace.firstPieceMs : pace.pieceMs)
      if (pace.signal.aborted) return controller.error(pace.signal.reason)
      const event = events[next]
      next += 1
      if (event === undefined) return controller.close()
      controller.enqueue(encoder.encode(`data: ${event}\n\n`))
    },
  })
}

function chunksOf(completion: Completion, includeUsage: boolean): readonly object[] {
  const chunk = (delta: object, finish: string | null = null) => ({
    ...head(completion),
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...(includeUsage && { usage: null }),
  })
  const usage = { ...head(completion), choices: [], usage: completion.usage }
  return [
    chunk({ role: 'assistant', content: completion.text === '' ? null : '' }),
    ...pieces(completion.text).map((piece) => chunk({ content: piece })),
    ...completion.calls.flatMap(callDeltas).map((call) => chunk({ tool_calls: [call] })),
    chunk({}, completion.finish),
    ...(includeUsage ? [usage] : []),
  ]
}

function head({ id, createdSeconds, model }: Completion) {
  return { id, object: 'chat.completion.chunk', created: createdSeconds, model }
}

/** The first event of a call names it; its arguments follow in pieces, as the provider streams them. */
function callDeltas(call: ToolCall, index: number): readonly object[] {
  const { name, arguments: input } = call.function
  const parts = input.match(new RegExp(`[^]{1,${argumentPiece}}`, 'gu')) ?? []
  return [
    { index, id: call.id, type: 'function', function: { name, arguments: '' } },
    ...parts.map((part) => ({ index, function: { arguments: part } })),
  ]
}
