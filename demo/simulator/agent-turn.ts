import { type Payload, readPayload, type SummaryMarks } from './facts.ts'
import { type ChatRequest, textOf } from './protocol.ts'

/** A call that the payload shows, with the result that arrived for it. */
export interface DoneCall {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly result: string
}

/** What the agent knows when it is asked for its next step: nothing but the payload. */
export interface AgentTurn {
  readonly payload: Payload
  /** The calls since the newest user message, oldest first. */
  readonly done: readonly DoneCall[]
  /** Names of the tools that the request offers. */
  readonly offered: ReadonlySet<string>
}

/** Reads a request as the position of an agent in its turn. */
export function readAgentTurn(request: ChatRequest, marks: SummaryMarks | undefined): AgentTurn {
  const payload = readPayload(request.messages, marks)
  const since = request.messages.slice(payload.askedIndex + 1)
  const results = new Map(
    since.flatMap((message) =>
      message.tool_call_id === undefined ? [] : [[message.tool_call_id, textOf(message)] as const],
    ),
  )
  const done = since
    .flatMap((message) => message.tool_calls ?? [])
    .map(({ id, function: called }) => ({
      tool: called.name,
      input: parseInput(called.arguments),
      result: results.get(id) ?? '',
    }))
  return { payload, done, offered: new Set(request.tools?.map((tool) => tool.function.name)) }
}

function parseInput(json: string): Readonly<Record<string, unknown>> {
  try {
    const input: unknown = JSON.parse(json)
    return typeof input === 'object' && input !== null ? { ...input } : {}
  } catch {
    // Arguments that a compaction shortened may be no JSON any more; the agent then knows only the tool.
    return {}
  }
}
