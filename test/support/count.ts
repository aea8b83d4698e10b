import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base'
import {
  callsOf,
  isRecord,
  type Native,
  type NativeRequest,
  resultsOf,
  textsOfContent,
} from './native.ts'
import { imagesOf, thinkingOf } from './texts.ts'

/** Tokens that a message costs beside its texts (counting rule of the cases). */
const TOKENS_PER_MESSAGE = 4
/** Tokens of an image, wherever it stands (counting rule of the cases). */
const TOKENS_PER_IMAGE = 1600
/** Longer unbroken runs are counted in slices: the tokenizer is quadratic in the length of one. */
const LONGEST_RUN = 4000
const MOST_REMEMBERED = 20_000

// One shared object: the tokenizer caches by its identity.
const asPlainText = { disallowedSpecial: new Set<string>() }
const remembered = new Map<string, number>()

/** Tokens of a text in `o200k_base`; text that spells a special token is ordinary text. */
export function countText(text: string): number {
  const known = remembered.get(text)
  if (known !== undefined) return known
  const tokens = slices(text).reduce((sum, slice) => sum + countO200k(slice, asPlainText), 0)
  if (remembered.size >= MOST_REMEMBERED) remembered.clear()
  remembered.set(text, tokens)
  return tokens
}

function slices(text: string): string[] {
  if (text.length <= LONGEST_RUN || !/\S{4001}|\s{4001}/.test(text)) return [text]
  return text.match(/[\s\S]{1,4000}/gu) ?? []
}

/** Tokens of one message by the counting rule of the cases. */
export function countMessage(message: Native): number {
  return (
    TOKENS_PER_MESSAGE + sum(countedTexts(message)) + TOKENS_PER_IMAGE * imagesOf(message).length
  )
}

function countedTexts(message: Native): string[] {
  const nested = message.role === 'tool' ? [] : resultsOf(message).flatMap((result) => result.texts)
  return [
    ...textsOfContent(message.content),
    ...thinkingOf(message),
    ...nested,
    ...callsOf(message).flatMap((call) => [call.tool, call.argumentsText]),
    ...textsBeyondTheRule(message),
  ]
}

/** Blocks the rule says nothing of, as recorded and generated histories hold them: counted as their JSON. */
function textsBeyondTheRule(message: Native): string[] {
  const content = Array.isArray(message.content) ? message.content.filter(isRecord) : []
  return content
    .filter((block) => !namedByTheRule.has(String(block.type)))
    .map((block) => JSON.stringify(block))
}

const namedByTheRule = new Set([
  'text',
  'image',
  'image_url',
  'document_url',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
])

/** Tokens of a request, by its three shares. */
export interface RequestTokens {
  /** System text; for OpenAI the system messages, their framing included. */
  readonly system: number
  readonly tools: number
  /** All messages but the leading system messages. */
  readonly messages: number
  readonly total: number
}

/** Counts a request by the counting rule of the cases. */
export function countRequest(request: NativeRequest): RequestTokens {
  const inList = request.messages.filter((message) => message.role === 'system')
  const others = request.messages.filter((message) => message.role !== 'system')
  const system = sum(textsOfContent(request.system)) + total(inList)
  const tools = request.tools === undefined ? 0 : countText(JSON.stringify(request.tools))
  const messages = total(others)
  return { system, tools, messages, total: system + tools + messages }
}

function total(messages: readonly Native[]): number {
  return messages.reduce((tokens, message) => tokens + countMessage(message), 0)
}

function sum(texts: readonly string[]): number {
  return texts.reduce((tokens, text) => tokens + countText(text), 0)
}
