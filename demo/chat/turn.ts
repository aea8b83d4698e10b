import { runRepoTool } from '../repo/tools.ts'
import type { ToolCall } from '../simulator/protocol.ts'
import type { PartialReply } from './exchange.ts'
import type { NativeMessage } from './opening.ts'
import type { PathMessage } from './path.ts'

/** What a turn needs from the page. */
export interface TurnSteps {
  /** Fits the present history, sends it and gives back the whole answer. */
  readonly answer: () => Promise<PartialReply>
  readonly append: (...messages: readonly NativeMessage[]) => void
}

/** An agent that goes on after this many requests is stopped: it would not come to an end. */
const requestsAtMost = 12

/**
 * Runs one turn: answers, and as long as the answer calls tools, runs them and answers again.
 * Rejects with whatever a request rejects with; all that came before is appended by then.
 */
export async function runTurn({ answer, append }: TurnSteps): Promise<void> {
  for (let request = 0; request < requestsAtMost; request += 1) {
    const reply = await answer()
    append(assistantMessage(reply))
    if (reply.calls.length === 0) return
    append(...reply.calls.map(resultMessage))
  }
}

/** Gives back the message that an answer leaves in the history. */
export function assistantMessage({ text, calls }: PartialReply): NativeMessage {
  const content = text === '' ? null : text
  return calls.length > 0
    ? { role: 'assistant', content, tool_calls: calls }
    : { role: 'assistant', content: text }
}

/** Gives back results for the calls of a message that a reload kept from running; none where it calls nothing. */
export function resultsFor(last: PathMessage | undefined): readonly NativeMessage[] {
  const calls = last?.interrupted ? undefined : last?.native.tool_calls
  // The page's own assistant messages hold calls as the simulator streamed them.
  return Array.isArray(calls) ? (calls as readonly ToolCall[]).map(resultMessage) : []
}

function resultMessage({ id, function: called }: ToolCall): NativeMessage {
  return { role: 'tool', tool_call_id: id, content: runRepoTool(called.name, called.arguments) }
}
