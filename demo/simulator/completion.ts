import type { Reply } from './persona.ts'
import type { ChatRequest, FinishReason, ToolCall, Usage } from './protocol.ts'
import { outputCap } from './protocol.ts'
import type { CountTokens } from './window.ts'

/** An answer, finished and counted, before it takes the form of a body or of a stream. */
export interface Completion {
  readonly id: string
  readonly createdSeconds: number
  readonly model: string
  readonly text: string
  readonly calls: readonly ToolCall[]
  readonly finish: FinishReason
  readonly usage: Usage
}

export interface CompletionFacts {
  readonly promptTokens: number
  readonly createdSeconds: number
  readonly countTokens: CountTokens
}

/** Turns a persona's reply into a completion; text beyond the output cap is cut and called `length`. */
export async function complete(
  request: ChatRequest,
  reply: Reply,
  facts: CompletionFacts,
): Promise<Completion> {
  const seed = fingerprint(JSON.stringify(request.messages))
  const cut = await cutToCap(reply.text, outputCap(request), facts.countTokens)
  const calls = cut.wasCut
    ? []
    : reply.calls.map((call, index) => toolCall(call, `${seed}${index}`))
  const callTexts = calls.map((call) => call.function.name + call.function.arguments)
  const callTokens = await Promise.all(callTexts.map((text) => facts.countTokens(text)))
  const completionTokens = callTokens.reduce((total, tokens) => total + tokens, cut.tokens)
  return {
    id: `chatcmpl-sim-${seed}`,
    createdSeconds: facts.createdSeconds,
    model: request.model,
    text: cut.text,
    calls,
    finish: cut.wasCut ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop',
    usage: {
      prompt_tokens: facts.promptTokens,
      completion_tokens: completionTokens,
      total_tokens: facts.promptTokens + completionTokens,
    },
  }
}

/** Gives back the completion as the body of an answer that is not streamed. */
export function completionBody(completion: Completion): object {
  const { text, calls } = completion
  const message = {
    role: 'assistant',
    content: text === '' ? null : text,
    refusal: null,
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  return {
    id: completion.id,
    object: 'chat.completion',
    created: completion.createdSeconds,
    model: completion.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: completion.finish }],
    usage: completion.usage,
  }
}

/** Splits a text into pieces that end after a space, as tokens of running text do. */
export function pieces(text: string): readonly string[] {
  return text.match(/\S+\s*|\s+/gu) ?? []
}

async function cutToCap(text: string, cap: number | undefined, countTokens: CountTokens) {
  const tokens = text === '' ? 0 : await countTokens(text)
  if (cap === undefined || tokens <= cap) return { text, tokens, wasCut: false }
  let kept = ''
  let used = 0
  for (const piece of pieces(text)) {
    // Piece by piece counts no less than the whole, so the cut text stays within the cap.
    const next = used + (await countTokens(piece))
    if (next > cap) break
    kept += piece
    used = next
  }
  return { text: kept, tokens: used, wasCut: true }
}

function toolCall({ tool, input }: Reply['calls'][number], seed: string): ToolCall {
  return {
    id: `call_${seed}`,
    type: 'function',
    function: { name: tool, arguments: JSON.stringify(input) },
  }
}

/** FNV-1a over UTF-16 units, 32 bits: ids need to be stable and distinct, not secret. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 0).toString(16).padStart(8, '0')
}
