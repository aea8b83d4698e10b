import type { Adapter, RequestHead } from '../core/adapter.ts'
import { invalidConversation } from '../core/errors.ts'
import type { Part, Role, ToolCallPart, Unit, View } from '../core/model.ts'
import { originalOf } from '../core/originals.ts'
import { type Draft, placeParts } from './draft.ts'
import { groupsOf, namedParts } from './groups.ts'
import {
  asFields,
  asId,
  asList,
  base64Bytes,
  type Content,
  type Fields,
  joinContents,
  jsonOf,
  mediaTypeOf,
  nameOf,
  optionalText,
  tokenLimit,
  withField,
  without,
} from './native.ts'
import { openaiChatShape } from './shapes/openai-chat.ts'

/**
 * OpenAI Chat Completions and the services that speak it (FORMATS 2.1, 2.6), the legacy `function_call` with
 * its messages of role `function` included.
 */
export const openaiChat: Adapter = {
  ...openaiChatShape,
  dialect: { mergesTurns: false, resultRole: 'tool', signsReasoning: false },
  readHead,
  readMessage,
  write,
}

/** Fields in which services return reasoning; OpenRouter keeps an array beside the text. */
const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_details'] as const

function readHead(request: Fields): RequestHead {
  const messages = asList(request.messages, 'messages')
  const leading = openaiChatShape.leadingMessages(messages)
  const { tools, functions, response_format, max_completion_tokens, max_tokens } = request
  const schemas = [tools, functions, response_format].filter((value) => value !== undefined)
  return {
    systemText: messages
      .slice(0, leading)
      .map((message) => contentText(message as Fields)) // counted as leading: objects
      .join('\n'),
    systemMessages: leading,
    toolsText: schemas.map(jsonOf).join(''),
    model: optionalText(request.model),
    outputTokens: tokenLimit(max_completion_tokens) ?? tokenLimit(max_tokens),
    cacheMarks: 0,
  }
}

function contentText(message: Fields): string {
  const { content } = message
  if (!Array.isArray(content)) return optionalText(content) ?? ''
  return content.map((part) => optionalText(part?.text) ?? jsonOf(part)).join('\n')
}

function readMessage(message: Fields, seq: number, path: string): Unit {
  return {
    seq,
    role: roleOf(message, path),
    name: optionalText(message.name),
    parts: placeParts(readParts(message, path), seq),
    native: message,
  }
}

const ROLES: Readonly<Record<string, Role>> = {
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
  system: 'system',
  developer: 'system',
}

function roleOf(message: Fields, path: string): Role {
  const name = nameOf(message.role)
  const role = Object.hasOwn(ROLES, name) ? ROLES[name] : undefined
  if (role === undefined)
    throw invalidConversation(`${path}.role`, `is ${jsonOf(message.role) || 'missing'}`)
  return role
}

function readParts(message: Fields, path: string): readonly Draft[] {
  if (isResult(message)) return resultDrafts(message, path)
  const reasoning = reasoningDrafts(message)
  const content = contentDrafts(message.content, path, undefined)
  const behind = [...refusalDrafts(message), ...callDrafts(message, path)]
  if (reasoning.length + behind.length === 0) return content
  return [...reasoning, ...content, ...behind]
}

function isResult(message: Fields): boolean {
  return message.role === 'tool' || message.role === 'function'
}

/** Legacy calls have no id: one stands alone in its message, and the message behind it answers it. */
const LEGACY_ID = 'function_call'

function resultDrafts(message: Fields, path: string): readonly Draft[] {
  const isLegacy = message.role === 'function'
  const callId = isLegacy ? LEGACY_ID : asId(message.tool_call_id, `${path}.tool_call_id`)
  const { content } = message
  if (typeof content === 'string') {
    return [{ type: 'tool-result', callId, text: content, isError: undefined }]
  }
  const inner = contentDrafts(content, path, 0)
  const text = inner.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n')
  const result: Draft = { type: 'tool-result', callId, text, isError: undefined }
  return [result, ...inner.filter((part) => part.type !== 'text')]
}

function reasoningDrafts(message: Fields): readonly Draft[] {
  if (message.role !== 'assistant') return []
  const present = REASONING_FIELDS.filter(
    (field) => message[field] != null && message[field] !== '',
  )
  if (present.length === 0) return []
  const text = present
    .map((field) => optionalText(message[field]))
    .find((value) => value !== undefined)
  const signed = present.includes('reasoning_details')
  const signature = signed ? jsonOf(message.reasoning_details) : ''
  return [{ type: 'reasoning', text: text ?? signature, signed, signature }]
}

function contentDrafts(
  content: unknown,
  path: string,
  inside: number | undefined,
): readonly Draft[] {
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return asList(content, `${path}.content`).map((block, index) =>
    blockDraft(asFields(block, `${path}.content[${index}]`), inside),
  )
}

function blockDraft(block: Fields, inside: number | undefined): Draft {
  if (block.type === 'text' && typeof block.text === 'string')
    return { type: 'text', text: block.text }
  const media = mediaOf(block)
  if (media) return { type: 'media', ...media, inside }
  return { type: 'opaque', kind: nameOf(block.type), text: jsonOf(block), inside }
}

/** Blocks that hold media, each with the type where the content does not tell; Mistral's hold the bare URL. */
const MEDIA_BLOCKS: Readonly<Record<string, string>> = {
  image_url: 'image/*',
  document_url: 'application/pdf',
  video_url: 'video/*',
  input_audio: 'audio/*',
  file: 'application/pdf',
}

function mediaOf(block: Fields) {
  const kind = nameOf(block.type)
  const fallback = Object.hasOwn(MEDIA_BLOCKS, kind) ? MEDIA_BLOCKS[kind] : undefined
  if (fallback === undefined) return undefined
  const held = block[kind]
  const fields: Fields = typeof held === 'object' && held !== null ? { ...held } : { url: held }
  const source = [fields.url, fields.data, fields.file_data].find(
    (value) => typeof value === 'string',
  )
  const content = optionalText(source) ?? ''
  const names = [fields.name, fields.filename, block.name, block.filename, block.document_name]
  const name = optionalText(names.find((value) => typeof value === 'string'))
  return {
    mediaType: mediaTypeOf(content, fallback),
    name,
    bytes: base64Bytes(content),
    content: content || jsonOf(block),
  }
}

function refusalDrafts(message: Fields): readonly Draft[] {
  if (typeof message.refusal !== 'string' || message.refusal === '') return []
  return [{ type: 'opaque', kind: 'refusal', text: message.refusal, inside: undefined }]
}

function callDrafts(message: Fields, path: string): readonly Draft[] {
  if (message.role !== 'assistant') return []
  if (message.function_call) {
    const call = asFields(message.function_call, `${path}.function_call`)
    return [
      {
        type: 'tool-call',
        callId: LEGACY_ID,
        tool: nameOf(call.name),
        input: inputOf(call.arguments),
      },
    ]
  }
  if (message.tool_calls === undefined || message.tool_calls === null) return []
  return callsOf(message.tool_calls, path).map((call, index) => {
    const fields = asFields(call.function ?? call.custom, `${path}.tool_calls[${index}].function`)
    const callId = asId(call.id, `${path}.tool_calls[${index}].id`)
    const input = inputOf(fields.arguments ?? fields.input)
    return { type: 'tool-call', callId, tool: nameOf(fields.name), input }
  })
}

function callsOf(calls: unknown, path: string): readonly Fields[] {
  return asList(calls, `${path}.tool_calls`).map((call, index) =>
    asFields(call, `${path}.tool_calls[${index}]`),
  )
}

/** Some logs keep arguments as an object; they are counted as the JSON they would be sent as. */
function inputOf(value: unknown): string {
  return optionalText(value) ?? jsonOf(value)
}

function write<R extends object>(request: R, view: View): R {
  if (view.units === view.originals) return request
  const messages = asList((request as Fields).messages, 'messages') // read() took it before
  const leading = messages.length - view.originals.length
  const written = groupsOf(view.units).map((group) => writeGroup(view, group))
  return { ...request, messages: [...messages.slice(0, leading), ...written] }
}

function writeGroup(view: View, group: readonly Unit[]): unknown {
  const [first] = group
  const last = group[group.length - 1]
  if (!first || !last) throw new RangeError('a message made of no unit')
  if (group.length === 1 && first.native !== undefined && first.was === undefined)
    return first.native
  const parts = namedParts(group)
  const base = first.role === 'assistant' ? last : first
  if (base.native === undefined) return newMessage(first.role, parts)
  return writeMessage(view, base, parts)
}

function newMessage(role: Role, parts: readonly Part[]): unknown {
  const [part] = parts
  if (part?.type === 'tool-result')
    return { role: 'tool', tool_call_id: part.callId, content: part.text }
  const texts = parts.flatMap((text) => (text.type === 'text' ? text.text : []))
  return { role: role === 'assistant' ? 'assistant' : 'user', content: texts.join('\n\n') }
}

function writeMessage(view: View, base: Unit, parts: readonly Part[]): unknown {
  let message = asFields(base.native, 'message')
  if (isResult(message)) return writeResult(view, message, parts)
  if (!parts.some((part) => part.type === 'reasoning'))
    message = without(message, ...REASONING_FIELDS)
  const content = writeContent(view, parts.filter(isContent))
  if (content !== undefined || message.content !== undefined) {
    message = withField(message, 'content', content ?? emptyContent(base))
  }
  return writeCalls(message, originalOf(view.originals, base.seq) ?? base, parts.filter(isCallPart))
}

/** What an assistant message with calls has where its text went: `null` is the provider's own spelling. */
function emptyContent(base: Unit): unknown {
  const { content } = base.native as Fields // a unit of this adapter
  return typeof content === 'string' && content === '' ? content : null
}

function isContent(part: Part): boolean {
  return (
    part.type !== 'reasoning' &&
    part.type !== 'tool-call' &&
    !(part.type === 'opaque' && part.kind === 'refusal')
  )
}

function isCallPart(part: Part): part is ToolCallPart {
  return part.type === 'tool-call'
}

function writeContent(view: View, parts: readonly Part[]): string | unknown[] | undefined {
  if (parts.length === 0) return undefined
  return joinContents(parts.map((part) => contentOfPart(view, part)))
}

function contentOfPart(view: View, part: Part): Content {
  const block = nativeBlock(view, part)
  if (part.type === 'text') {
    if (typeof block !== 'object' || block === null) return { type: 'string', text: part.text }
    const isText = (block as Fields).type === 'text' // media that became text has no text field to keep
    const written = part.was ? { ...(isText ? block : { type: 'text' }), text: part.text } : block
    return { type: 'list', blocks: [written] }
  }
  return { type: 'list', blocks: block === undefined ? [] : [block] }
}

/** The block of a part in its own message; `undefined` for inserted parts and texts that are a bare string. */
function nativeBlock(view: View, part: Part): unknown {
  const unit = originalOf(view.originals, part.seq)
  const content = unit && (unit.native as Fields).content // a unit of this adapter
  if (!unit || !Array.isArray(content)) return undefined
  const at = contentPosition(unit, part.index)
  if (unit.role !== 'tool') return content[at]
  const inner = content.filter((block) => block?.type !== 'text' || typeof block.text !== 'string')
  return inner[at - 1]
}

const contentPositions = new WeakMap<Unit, ReadonlyMap<number, number>>()

/** Position of a part among the content blocks of its unit. */
function contentPosition(unit: Unit, partIndex: number): number {
  let known = contentPositions.get(unit)
  if (!known) {
    known = new Map(unit.parts.filter(isContent).map((part, at) => [part.index, at]))
    contentPositions.set(unit, known)
  }
  return known.get(partIndex) ?? -1
}

function writeResult(view: View, message: Fields, parts: readonly Part[]): unknown {
  const result = parts.find((part) => part.type === 'tool-result')
  const inner = parts.filter((part) => part !== result)
  const text = result?.text ?? ''
  const renamed = result && message.tool_call_id !== undefined
  const named = renamed ? withField(message, 'tool_call_id', result.callId) : message
  if (inner.length === 0) return withField(named, 'content', text)
  const blocks = inner.flatMap((part) => {
    const content = contentOfPart(view, part)
    return content.type === 'string' ? [{ type: 'text', text: content.text }] : content.blocks
  })
  return withField(named, 'content', [...(text === '' ? [] : [{ type: 'text', text }]), ...blocks])
}

function writeCalls(message: Fields, original: Unit, parts: readonly ToolCallPart[]): unknown {
  if (parts.every((part) => !part.was)) return message
  const [first] = parts
  if (message.function_call && first) {
    const call = asFields(message.function_call, 'function_call')
    return withField(message, 'function_call', withField(call, 'arguments', first.input))
  }
  const places = original.parts.filter(isCallPart).map((part) => part.index)
  const written = callsOf(message.tool_calls ?? [], 'message').map((call, nth) => {
    const part = parts.find(({ index }) => index === places[nth])
    return part?.was ? writeCall(call, part) : call
  })
  return withField(message, 'tool_calls', written)
}

function writeCall(call: Fields, part: ToolCallPart): unknown {
  const holder = call.function === undefined ? 'custom' : 'function'
  const text = holder === 'function' ? 'arguments' : 'input'
  const body = withField(asFields(call[holder], 'call'), text, part.input)
  return withField(withField(call, 'id', part.callId), holder, body)
}
