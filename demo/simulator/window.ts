import { type ChatMessage, type ChatRequest, outputCap, textOf } from './protocol.ts'
import { invalidRequest, type Refusal } from './refusal.ts'

/** Counts the tokens of one text. */
export type CountTokens = (text: string) => number | Promise<number>

/** Tokens of one request by part. */
export interface RequestTokens {
  readonly messages: number
  readonly functions: number
  readonly completion: number
}

/** Tokens around each message and before the answer: OpenAI's cookbook on counting chat messages. */
const messageTokens = 3
const answerTokens = 3

/** What OpenAI takes for an image whose size is not known: a picture of 1024 by 1024 in full detail. */
const imageTokens = 765

/** Counts what arrived, as the provider does; linear in the length of the request. */
export async function countRequest(
  request: ChatRequest,
  countTokens: CountTokens,
): Promise<RequestTokens> {
  const counts = request.messages.map((message) => countMessage(message, countTokens))
  const messages = sum(await Promise.all(counts)) + answerTokens
  const functions =
    request.tools === undefined ? 0 : await countTokens(JSON.stringify(request.tools))
  return { messages, functions, completion: outputCap(request) ?? 0 }
}

/** Gives back the provider's refusal for a request that is larger than the window. */
export function windowRefusal(tokens: RequestTokens, windowTokens: number): Refusal | undefined {
  const total = tokens.messages + tokens.functions + tokens.completion
  if (total <= windowTokens) return undefined
  const start = `This model's maximum context length is ${windowTokens} tokens. However, `
  const text = start + (tokens.completion > 0 ? requested(tokens, total) : resulted(tokens, total))
  return invalidRequest(text, 'messages', 'context_length_exceeded')
}

function requested({ messages, functions, completion }: RequestTokens, total: number): string {
  return functions > 0
    ? `you requested ${total} tokens (${messages} in the messages, ${functions} in the functions, and ${completion} in the completion). Please reduce the length of the messages, functions, or completion.`
    : `you requested ${total} tokens (${messages} in the messages, ${completion} in the completion). Please reduce the length of the messages or completion.`
}

function resulted({ messages, functions }: RequestTokens, total: number): string {
  return functions > 0
    ? `your messages resulted in ${total} tokens (${messages} in the messages, ${functions} in the functions). Please reduce the length of the messages or functions.`
    : `your messages resulted in ${total} tokens. Please reduce the length of the messages.`
}

async function countMessage(message: ChatMessage, countTokens: CountTokens): Promise<number> {
  const calls = message.tool_calls ?? []
  const texts = [
    message.role,
    textOf(message),
    message.name ?? '',
    ...calls.flatMap((call) => [call.function.name, call.function.arguments]),
  ]
  const counts = await Promise.all(texts.map((text) => (text === '' ? 0 : countTokens(text))))
  return messageTokens + sum(counts) + imageTokens * countImages(message)
}

function countImages({ content }: ChatMessage): number {
  return Array.isArray(content) ? content.filter((part) => part.type === 'image_url').length : 0
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
