import type { Adapter, RequestHead } from '../core/adapter.ts'
import { invalidConversation } from '../core/errors.ts'
import type { Part, Role, ToolCallPart, ToolResultPart, Unit, View } from '../core/model.ts'
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
  nameOf,
  optionalText,
  tokenLimit,
  withField,
  without,
} from './native.ts'
import { anthropicMessagesShape } from './shapes/anthropic-messages.ts'

/** Anthropic Messages (FORMATS 2.3). */
export const anthropicMessages: Adapter = {
  ...anthropicMessagesShape,
  dialect: { mergesTurns: true, resultRole: 'user', signsReasoning: true },
  readHead,
  readMessage,
  write,
}

function readHead(request: Fields): RequestHead {
  const systemBlocks = Array.isArray(request.system) ? request.system : []
  const tools = Array.isArray(request.tools) ? request.tools : []
  const marked = [...systemBlocks, ...tools].filter((block) => block?.cache_control != null)
  return {
    systemText: optionalText(request.system) ?? systemBlocks.map(systemText).join('\n'),
    systemMessages: 0,
    toolsText: request.tools === undefined ? '' : jsonOf(request.tools),
    model: optionalText(request.model),
    outputTokens: tokenLimit(request.max_tokens),
    cacheMarks: marked.length,
  }
}

function systemText(block: unknown): string {
  return optionalText((block as Fields | null)?.text) ?? jsonOf(block) // any value may be looked into
}

const ROLES: Readonly<Record<string, Role>> = {
  user: 'user',
  assistant: 'assistant',
  system: 'system',
}

function readMessage(message: Fields, seq: number, path: string): Unit {
  const name = nameOf(message.role)
  const role = Object.hasOwn(ROLES, name) ? ROLES[name] : undefined
  if (role === undefined)
    throw invalidConversation(`${path}.role`, `is ${jsonOf(message.role) || 'missing'}`)
  const parts = readContent(message.content, `${path}.content`)
  return { seq, role, name: undefined, parts: placeParts(parts, seq), native: message }
}

function readContent(content: unknown, path: string): readonly Draft[] {
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  const drafts: Draft[] = []
  for (const [index, block] of asList(content, path).entries()) {
    const at = `${path}[${index}]`
    for (const draft of readBlock(asFields(block, at), at, drafts.length)) drafts.push(draft)
  }
  return drafts
}

function readBlock(block: Fields, path: string, index: number): readonly Draft[] {
  const drafts =
    block.type === 'tool_result'
      ? resultDrafts(block, path, index)
      : [blockDraft(block, path, undefined)]
  const [first, ...rest] = drafts
  return first && block.cache_control != null ? [{ ...first, cacheMark: true }, ...rest] : drafts
}

function resultDrafts(block: Fields, path: string, index: number): readonly Draft[] {
  const { content } = block
  const inner = Array.isArray(content)
    ? content.map((item) => asFields(item, `${path}.content`))
    : []
  const texts = inner.filter(isText).map((item) => String(item.text))
  const result: Draft = {
    type: 'tool-result',
    callId: asId(block.tool_use_id, `${path}.tool_use_id`),
    text: optionalText(content) ?? texts.join('\n'),
    isError: block.is_error === true,
  }
  return [
    result,
    ...inner.filter((item) => !isText(item)).map((item) => blockDraft(item, path, index)),
  ]
}

function isText(block: Fields): boolean {
  return block.type === 'text' && typeof block.text === 'string'
}

function blockDraft(block: Fields, path: string, inside: number | undefined): Draft {
  if (isText(block)) return { type: 'text', text: String(block.text) }
  switch (block.type) {
    case 'thinking':
      return {
        type: 'reasoning',
        text: optionalText(block.thinking) ?? '',
        signed: optionalText(block.signature) !== undefined,
        signature: optionalText(block.signature) ?? '',
      }
    case 'redacted_thinking':
      return { type: 'reasoning', text: '', signed: true, signature: jsonOf(block.data) }
    case 'tool_use':
      return {
        type: 'tool-call',
        callId: asId(block.id, `${path}.id`),
        tool: nameOf(block.name),
        input: jsonOf(block.input ?? {}),
      }
    default:
      return mediaDraft(block, inside) ?? opaqueDraft(block, inside)
  }
}

function mediaDraft(block: Fields, inside: number | undefined): Draft | undefined {
  const isMedia = block.type === 'image' || block.type === 'document'
  if (!isMedia || typeof block.source !== 'object' || block.source === null) return undefined
  const source = block.source as Fields // checked one line up
  if (source.type === 'text' || source.type === 'content') return undefined // counted as the text it is
  const fallback = block.type === 'image' ? 'image/*' : 'application/pdf'
  return {
    type: 'media',
    mediaType: optionalText(source.media_type) ?? fallback,
    name: optionalText(block.title) ?? optionalText(block.name) ?? optionalText(block.filename),
    bytes: base64Bytes(optionalText(source.data) ?? 'url:'),
    content: optionalText(source.data) ?? jsonOf(source),
    inside,
  }
}

function opaqueDraft(block: Fields, inside: number | undefined): Draft {
  const kind = nameOf(block.type)
  const draft = {
    type: 'opaque' as const,
    kind,
    text: jsonOf(without(block, 'cache_control')),
    inside,
  }
  const isCall = kind === 'server_tool_use' || kind === 'mcp_tool_use'
  const callId = optionalText(isCall ? block.id : block.tool_use_id)
  if (callId === undefined || (!isCall && !kind.endsWith('_tool_result'))) return draft
  return { ...draft, server: { role: isCall ? 'call' : 'result', callId } }
}

function write<R extends object>(request: R, view: View): R {
  if (view.units === view.originals) return request
  return { ...request, messages: groupsOf(view.units).map((group) => writeGroup(view, group)) }
}

function writeGroup(view: View, group: readonly Unit[]): unknown {
  const [first] = group
  if (!first) throw new RangeError('a message made of no unit')
  if (group.length === 1 && first.native !== undefined && first.was === undefined)
    return first.native
  const contents = group.length === 1 ? unitContents(view, first) : joinedContents(view, group)
  const base = first.native ?? { role: first.role === 'assistant' ? 'assistant' : 'user' }
  return withField(asFields(base, 'message'), 'content', joinContents(contents))
}

function joinedContents(view: View, group: readonly Unit[]): readonly Content[] {
  const named = namedParts(group)
  return named.length === group.flatMap((unit) => unit.parts).length
    ? group.flatMap((unit) => unitContents(view, unit))
    : contentsOf(view, named)
}

function unitContents(view: View, unit: Unit): readonly Content[] {
  return contentsOf(view, unit.parts)
}

/** Contents of parts in order. A cache mark on the last block before an appended text moves onto that text. */
function contentsOf(view: View, parts: readonly Part[]): readonly Content[] {
  const contents: Content[] = []
  for (const part of parts) {
    const place = part.was ?? part
    if ('inside' in place && place.inside !== undefined) continue // written with its result
    const content = contentOf(view, part, parts)
    const last = contents[contents.length - 1]
    const moved = isAppended(part) && last ? moveMark(last, content) : undefined
    if (moved) contents.splice(-1, 1, ...moved)
    else contents.push(content)
  }
  return contents
}

function isAppended(part: Part): boolean {
  return part.type === 'text' && part.seq < 0
}

function moveMark(from: Content, to: Content): readonly [Content, Content] | undefined {
  const block = from.type === 'list' ? (from.blocks[0] as Fields | undefined) : undefined // one block a part
  if (block?.cache_control == null || from.type !== 'list' || to.type !== 'string') return undefined
  const marked = { type: 'text', text: to.text, cache_control: block.cache_control }
  return [
    { type: 'list', blocks: [without(block, 'cache_control')] },
    { type: 'list', blocks: [marked] },
  ]
}

function contentOf(view: View, part: Part, siblings: readonly Part[]): Content {
  const block = nativeBlock(view, part)
  if (part.type === 'text' && block === undefined) return { type: 'string', text: part.text }
  if (part.type === 'tool-result')
    return { type: 'list', blocks: [writeResult(view, part, block, siblings)] }
  return { type: 'list', blocks: block === undefined ? [] : [writeBlock(part, block)] }
}

function writeBlock(part: Part, block: Fields): unknown {
  if (!part.was) return block
  const unmarked =
    part.was.cacheMark && part.cacheMark === false ? without(block, 'cache_control') : block
  if (part.type === 'tool-call') return writeCall(part, unmarked)
  if (part.type !== 'text') return unmarked
  return isText(block) ? withField(unmarked, 'text', part.text) : { type: 'text', text: part.text }
}

function writeCall(part: ToolCallPart, block: Fields): unknown {
  const named = block.id === part.callId ? block : withField(block, 'id', part.callId)
  const before = part.was?.type === 'tool-call' ? part.was.input : undefined
  return part.input === before ? named : withField(named, 'input', JSON.parse(part.input))
}

function writeResult(
  view: View,
  part: ToolResultPart,
  block: Fields | undefined,
  siblings: readonly Part[],
): unknown {
  if (!block) {
    const base = { type: 'tool_result', tool_use_id: part.callId, content: part.text }
    return part.isError ? { ...base, is_error: true } : base
  }
  const inner = siblings.filter((other) => isInside(other, part))
  const had = (originalOf(view.originals, part.seq)?.parts ?? []).filter((other) =>
    isInside(other, part),
  )
  const isSame = inner.length === had.length && inner.every((other) => !other.was)
  if (!part.was && isSame) return block
  const unmarked = part.cacheMark === false ? without(block, 'cache_control') : block
  const named = withField(unmarked, 'tool_use_id', part.callId)
  if (had.length === 0) {
    const keepsText = part.was?.type === 'tool-result' && part.was.text === part.text
    return keepsText ? named : withField(named, 'content', part.text)
  }
  const text = part.text === '' ? [] : [{ type: 'text', text: part.text }]
  return withField(named, 'content', [...text, ...inner.map((other) => writeInner(view, other))])
}

function isInside(other: Part, result: ToolResultPart): boolean {
  const place = other.was ?? other
  return 'inside' in place && place.inside === result.index && other.seq === result.seq
}

function writeInner(view: View, part: Part): unknown {
  if (part.type === 'text') return { type: 'text', text: part.text }
  return nativeBlock(view, part)
}

/** The native block of a part; `undefined` for inserted parts and for a message whose content is a bare string. */
function nativeBlock(view: View, part: Part): Fields | undefined {
  const unit = originalOf(view.originals, part.seq)
  const content = unit && (unit.native as Fields).content // a unit of this adapter
  if (!unit || !Array.isArray(content)) return undefined
  const place = part.was ?? part
  if (!('inside' in place) || place.inside === undefined)
    return content[blockIndex(unit, part.index)]
  const holder = content[blockIndex(unit, place.inside)] as Fields | undefined // the result that holds it
  const inner = Array.isArray(holder?.content) ? holder.content.filter((item) => !isText(item)) : []
  return inner[part.index - place.inside - 1]
}

const blockPositions = new WeakMap<Unit, readonly number[]>()

/** Position among the blocks of the message: parts inside results are no blocks of it. */
function blockIndex(unit: Unit, partIndex: number): number {
  let known = blockPositions.get(unit)
  if (!known) {
    let next = 0
    known = unit.parts.map((part) =>
      'inside' in part && part.inside !== undefined ? next : next++,
    )
    blockPositions.set(unit, known)
  }
  return known[partIndex] ?? -1
}
