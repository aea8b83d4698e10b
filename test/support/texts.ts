import {
  callsOf,
  isRecord,
  type Native,
  type NativeRequest,
  resultsOf,
  textsOfContent,
} from './native.ts'

/**
 * The "texts" of a message: string contents, text blocks, thinking, the text of results, the arguments of
 * calls (the JSON text, and each string value inside it) and the addresses of images.
 */
export function textsOfMessage(message: Native): string[] {
  const nested = message.role === 'tool' ? [] : resultsOf(message).flatMap((result) => result.texts)
  return [
    ...textsOfContent(message.content),
    ...thinkingOf(message),
    ...nested,
    ...callsOf(message).flatMap((call) => [
      call.argumentsText,
      ...stringsOfJson(call.argumentsText),
    ]),
    ...imagesOf(message).flatMap(addressOfImage),
  ]
}

/** The texts of a request: its system text, then those of its messages in order. */
export function textsOfRequest(request: NativeRequest): string[] {
  return [...textsOfContent(request.system), ...request.messages.flatMap(textsOfMessage)]
}

/** The text of the thinking blocks of a message. */
export function thinkingOf(message: Native): string[] {
  const content = Array.isArray(message.content) ? message.content.filter(isRecord) : []
  return content.flatMap((block) => (typeof block.thinking === 'string' ? [block.thinking] : []))
}

/** The image blocks of a message, those inside results included. */
export function imagesOf(message: Native): Native[] {
  return Array.isArray(message.content) ? imagesIn(message.content) : []
}

function imagesIn(content: readonly unknown[]): Native[] {
  return content.filter(isRecord).flatMap((block) => {
    // A document by its URL has a flat price too; its base64 is no text.
    if (/^(?:image|image_url|document_url)$/.test(String(block.type))) return [block]
    return block.type === 'tool_result' && Array.isArray(block.content)
      ? imagesIn(block.content)
      : []
  })
}

/** The URL of an image block, data URLs and bare base64 included. */
export function addressOfImage(image: Native): string[] {
  const holder = isRecord(image.image_url)
    ? image.image_url
    : isRecord(image.source)
      ? image.source
      : {}
  const address = holder.url ?? holder.data ?? image.image_url
  return typeof address === 'string' ? [address] : []
}

/** Every string anywhere inside a JSON value, keys left out. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(stringsIn)
}

function stringsOfJson(text: string): string[] {
  const value = parseJson(text)
  return value === undefined ? [] : stringsIn(value)
}

/** The value of a JSON text; `undefined` where it does not parse. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** How often `part` occurs in `text`, overlaps not counted. */
export function occurrences(text: string, part: string): number {
  return part === '' ? 0 : text.split(part).length - 1
}
