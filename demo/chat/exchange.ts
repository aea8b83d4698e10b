import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { FinishReason, ToolCall, Usage } from '../simulator/protocol.ts'
import type { ChatRequestBody } from './request.ts'

/** Answers a request as a provider would: the simulator, or anything of the same shape. */
export type Provider = (request: Request) => Promise<Response>

/** An answer as far as it has arrived. */
export interface PartialReply {
  readonly text: string
  readonly calls: readonly ToolCall[]
  readonly finish: FinishReason | undefined
  readonly usage: Usage | undefined
}

/** The provider's refusal, in its own words. */
export class ProviderRefusal extends Error {
  readonly status: number
  readonly code: string | undefined

  constructor(status: number, code: string | undefined, message: string) {
    super(message)
    this.name = 'ProviderRefusal'
    this.status = status
    this.code = code
  }
}

export interface ExchangeOptions {
  readonly signal: AbortSignal
  /** Called with each state of the answer while it arrives. */
  readonly onPartial: (reply: PartialReply) => void
}

/** The simulator never leaves the page; `.invalid` makes sure that nothing could (RFC 2606). */
const endpoint = 'http://simulator.invalid/v1/chat/completions'

const nothingYet: PartialReply = { text: '', calls: [], finish: undefined, usage: undefined }

/**
 * Sends a request, reads the streamed answer to its end and gives it back whole.
 * Rejects with `ProviderRefusal` for a status other than 2xx, and with the signal's reason.
 */
export async function exchange(
  provider: Provider,
  body: ChatRequestBody,
  { signal, onPartial }: ExchangeOptions,
): Promise<PartialReply> {
  const init = { method: 'POST', body: JSON.stringify(body), signal }
  const response = await provider(new Request(endpoint, init))
  if (!response.ok) throw await refusalOf(response)
  let reply = nothingYet
  for await (const event of eventsOf(response, signal)) {
    if (event === '[DONE]') break
    reply = addChunk(reply, JSON.parse(event))
    onPartial(reply)
  }
  return reply
}

interface CallDelta {
  readonly index: number
  readonly id?: string
  readonly function: { readonly name?: string; readonly arguments?: string }
}

interface Chunk {
  readonly choices: readonly {
    readonly delta: { readonly content?: string | null; readonly tool_calls?: readonly CallDelta[] }
    readonly finish_reason: FinishReason | null
  }[]
  readonly usage?: Usage | null
}

function addChunk(reply: PartialReply, chunk: Chunk): PartialReply {
  const choice = chunk.choices[0]
  return {
    text: reply.text + (choice?.delta.content ?? ''),
    calls: (choice?.delta.tool_calls ?? []).reduce(addCallDelta, reply.calls),
    finish: choice?.finish_reason ?? reply.finish,
    usage: chunk.usage ?? reply.usage,
  }
}

function addCallDelta(calls: readonly ToolCall[], delta: CallDelta): readonly ToolCall[] {
  const known = calls[delta.index]
  const call: ToolCall = {
    id: delta.id ?? known?.id ?? '',
    type: 'function',
    function: {
      name: delta.function.name ?? known?.function.name ?? '',
      arguments: (known?.function.arguments ?? '') + (delta.function.arguments ?? ''),
    },
  }
  return known === undefined ? [...calls, call] : calls.with(delta.index, call)
}

/** Read by hand: WebKit has no async iteration over streams. */
async function* eventsOf(response: Response, signal: AbortSignal): AsyncGenerator<string> {
  if (response.body === null) return
  const decoded = response.body
    // lib.dom types the decoder over BufferSource, which a stream of bytes satisfies.
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .pipeThrough(new EventSourceParserStream())
  const reader = decoded.getReader()
  try {
    for (;;) {
      signal.throwIfAborted()
      const { done, value } = await reader.read()
      if (done) return
      yield value.data
    }
  } finally {
    reader.releaseLock()
  }
}

async function refusalOf(response: Response): Promise<ProviderRefusal> {
  const { error } = (await response.json()) as { error: { message: string; code: string | null } }
  return new ProviderRefusal(response.status, error.code ?? undefined, error.message)
}
