import { agentPersona } from './agent-persona.ts'
import { chatPersona } from './chat-persona.ts'
import { complete, completionBody } from './completion.ts'
import { streamCompletion } from './event-stream.ts'
import type { SummaryMarks } from './facts.ts'
import { orderRefusal } from './legality.ts'
import type { Persona } from './persona.ts'
import type { ChatRequest } from './protocol.ts'
import { type Refusal, refusalResponse } from './refusal.ts'
import { parseRequest } from './request-shape.ts'
import { type CountTokens, countRequest, windowRefusal } from './window.ts'

/** The models of the simulator, by name. */
const personas: Readonly<Record<string, Persona>> = {
  'sim-chat': chatPersona,
  'sim-agent': agentPersona,
}

/** A model may be called after its window, `sim-chat-8k`; how large that is the options say. */
const windowSuffix = /-\d+k$/

export interface SimulatorOptions {
  /** What request and answer together may count, in tokens. */
  readonly windowTokens: number
  readonly countTokens: CountTokens
  /** Marks by which the simulator tells a summary from a person's words when it names its source. */
  readonly summaryMarks?: SummaryMarks
  /** Waits; default: not at all, so that tests take no time. */
  readonly wait?: (milliseconds: number) => Promise<void>
  readonly firstPieceMs?: number
  readonly pieceMs?: number
  /** Default: 0, so that equal requests get equal bytes. */
  readonly nowSeconds?: () => number
}

/**
 * Creates a handler that answers like OpenAI's API from nothing but the request it is given:
 * `POST …/v1/chat/completions`, streamed or not, and `GET …/v1/models`.
 *
 * It refuses what the provider refuses: a request over the window, an illegal order of calls and
 * results, an unknown model. It rejects only when the request's signal is aborted, as `fetch` does.
 */
export function createSimulator(
  options: SimulatorOptions,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname.endsWith('/v1/models') && request.method === 'GET') return modelList(options)
    if (pathname.endsWith('/v1/chat/completions') && request.method === 'POST') {
      return answer(request, options)
    }
    return refusalResponse(unknownUrl(request.method, pathname))
  }
}

async function answer(http: Request, options: SimulatorOptions): Promise<Response> {
  const request = parseRequest(await http.text())
  if ('status' in request) return refusalResponse(request)
  const family = request.model.replace(windowSuffix, '')
  const persona = Object.hasOwn(personas, family) ? personas[family] : undefined
  if (persona === undefined) return refusalResponse(unknownModel(request.model))
  const tokens = await countRequest(request, options.countTokens)
  const refusal = orderRefusal(request.messages) ?? windowRefusal(tokens, options.windowTokens)
  http.signal.throwIfAborted()
  if (refusal !== undefined) return refusalResponse(refusal)
  const completion = await complete(request, persona(request, options.summaryMarks), {
    promptTokens: tokens.messages + tokens.functions,
    createdSeconds: options.nowSeconds?.() ?? 0,
    countTokens: options.countTokens,
  })
  if (request.stream !== true) return Response.json(completionBody(completion))
  return streamCompletion(completion, paceOf(http, options), wantsUsage(request))
}

function paceOf(http: Request, options: SimulatorOptions) {
  const { wait = async () => {}, firstPieceMs = 0, pieceMs = 0 } = options
  return { wait, firstPieceMs, pieceMs, signal: http.signal }
}

function wantsUsage(request: ChatRequest): boolean {
  return request.stream_options?.include_usage === true
}

function modelList({ windowTokens, nowSeconds }: SimulatorOptions): Response {
  const created = nowSeconds?.() ?? 0
  const data = Object.keys(personas).map((id) => ({
    id,
    object: 'model',
    created,
    owned_by: 'simulator',
    context_length: windowTokens,
  }))
  return Response.json({ object: 'list', data })
}

function unknownModel(model: string): Refusal {
  const message = `The model \`${model}\` does not exist or you do not have access to it.`
  return {
    status: 404,
    message,
    type: 'invalid_request_error',
    param: null,
    code: 'model_not_found',
  }
}

function unknownUrl(method: string, pathname: string): Refusal {
  const message = `Invalid URL (${method} ${pathname})`
  return { status: 404, message, type: 'invalid_request_error', param: null, code: null }
}
