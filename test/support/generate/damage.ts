import type { Format } from '../../../src/core/model.ts'
import { blocksOf, callsOf, isRecord, type Native, resultsOf } from '../native.ts'
import { type Draw, drawFrom } from './draw.ts'

/** Gives back a damaged copy of the messages; the same list where there is nothing of that kind to damage. */
type Damage = (messages: readonly Native[], draw: Draw, format: Format) => readonly Native[]

/** What happens to stored histories: crashes, interrupts, bad trimming, imports from elsewhere. */
export const damages = {
  'drop-message': (messages, draw) => without(messages, draw.below(messages.length)),
  'drop-result': (messages, draw) => changed(messages, draw, hasResult, dropResult),
  'drop-call': (messages, draw) => changed(messages, draw, hasCall, dropCall),
  'duplicate-result': (messages, draw) => changed(messages, draw, hasResult, doubleResult),
  'duplicate-id': (messages, draw) => changed(messages, draw, hasCall, doubleCall),
  'ghost-result': (messages, draw, format) =>
    inserted(messages, draw.below(messages.length + 1), ghost(format)),
  'text-between': (messages, draw) => {
    const at = indexWhere(messages, draw, hasResult)
    return at === -1 ? messages : inserted(messages, at, { role: 'user', content: 'Wait.' })
  },
  'text-before-result': (messages, draw) => changed(messages, draw, hasResultBlock, textFirst),
  'trim-head': (messages, draw) => messages.slice(1 + draw.below(Math.min(4, messages.length))),
  'blank-text': (messages, draw) => changed(messages, draw, hasText, blankText),
  'empty-message': (messages, draw) => {
    const role = draw.pick(['user', 'assistant'])
    return inserted(messages, draw.below(messages.length + 1), {
      role,
      content: draw.pick(['', [], ' ']),
    })
  },
  'null-reply': (messages, draw) => {
    return inserted(messages, draw.below(messages.length + 1), { role: 'assistant', content: null })
  },
  interrupt: (messages, draw) => {
    const at = indexWhere(messages, draw, hasCall)
    const note = { role: 'user', content: '[Request interrupted by user]' }
    return at === -1 ? messages : [...messages.slice(0, at + 1 + draw.below(2)), note]
  },
  swap: (messages, draw) => {
    const at = draw.below(messages.length - 1)
    const [first, second] = [messages[at], messages[at + 1]]
    if (first === undefined || second === undefined) return messages
    return [...messages.slice(0, at), second, first, ...messages.slice(at + 2)]
  },
  'unsigned-thinking': (messages, draw) => changed(messages, draw, hasThinking, unsigned),
  'broken-arguments': (messages, draw) => changed(messages, draw, hasCallField, breakArguments),
  'lone-surrogate': (messages, draw) => changed(messages, draw, hasText, loneSurrogate),
  'lost-server-call': (messages, draw) => changed(messages, draw, hasServerCall, dropServerCall),
  'too-many-marks': (messages) => messages.map(markAll),
} as const satisfies Readonly<Record<string, Damage>>

/** The name of a damage. */
export type DamageName = keyof typeof damages

/** Every name, for arbitraries. */
// Safe: the keys of the object above are exactly the names.
export const damageNames = Object.keys(damages) as DamageName[]

/** Applies the damages in order, each with its own row of draws. */
export function damageAll(
  messages: readonly Native[],
  wanted: readonly (readonly [DamageName, number])[],
  format: Format,
): readonly Native[] {
  return wanted.reduce<readonly Native[]>((list, [name, seed]) => {
    const apply: Damage = damages[name]
    return list.length < 2 ? list : apply(list, drawFrom(seed), format)
  }, messages)
}

function indexWhere(
  messages: readonly Native[],
  draw: Draw,
  has: (message: Native) => boolean,
): number {
  const found = messages.flatMap((message, index) => (has(message) ? [index] : []))
  return found.length === 0 ? -1 : draw.pick(found)
}

function changed(
  messages: readonly Native[],
  draw: Draw,
  has: (message: Native) => boolean,
  change: (message: Native, draw: Draw) => readonly Native[],
): readonly Native[] {
  const at = indexWhere(messages, draw, has)
  return messages.flatMap((message, index) => (index === at ? change(message, draw) : [message]))
}

function without(messages: readonly Native[], at: number): readonly Native[] {
  return messages.filter((_message, index) => index !== at)
}

function inserted(messages: readonly Native[], at: number, message: Native): readonly Native[] {
  return [...messages.slice(0, at), message, ...messages.slice(at)]
}

const hasResult = (message: Native): boolean => resultsOf(message).length > 0
const hasCall = (message: Native): boolean => callsOf(message).length > 0
const hasBlock =
  (type: RegExp) =>
  (message: Native): boolean =>
    blocksOf(message).some((block) => type.test(String(block.type)))
const hasResultBlock = hasBlock(/^tool_result$/)
const hasThinking = hasBlock(/^thinking$/)
const hasServerCall = hasBlock(/^(?:server|mcp)_tool_use$/)
const hasCallField = (message: Native): boolean => Array.isArray(message.tool_calls)
const hasText = (message: Native): boolean =>
  (typeof message.content === 'string' && message.role !== 'tool') || hasBlock(/^text$/)(message)

/** The message with one of its blocks of a type replaced; no message where none are left. */
function replaceBlock(
  message: Native,
  type: RegExp,
  draw: Draw,
  by: (block: Native) => Native[],
): Native[] {
  const blocks = blocksOf(message)
  const places = blocks.flatMap((block, index) => (type.test(String(block.type)) ? [index] : []))
  const at = draw.pick(places)
  const content = blocks.flatMap((block, index) => (index === at ? by(block) : [block]))
  return content.length === 0 ? [] : [{ ...message, content }]
}

function dropResult(message: Native, draw: Draw): Native[] {
  return message.role === 'tool' ? [] : replaceBlock(message, /^tool_result$/, draw, () => [])
}

function doubleResult(message: Native, draw: Draw): Native[] {
  if (message.role === 'tool') return [message, { ...message }]
  return replaceBlock(message, /^tool_result$/, draw, (block) => [block, { ...block }])
}

function dropCall(message: Native, draw: Draw): Native[] {
  if (!Array.isArray(message.tool_calls)) return replaceBlock(message, /^tool_use$/, draw, () => [])
  const { tool_calls: calls, ...rest } = message
  const left = Array.isArray(calls) ? calls.slice(1) : []
  if (left.length > 0) return [{ ...rest, tool_calls: left }]
  return rest.content ? [rest] : []
}

function doubleCall(message: Native, draw: Draw): Native[] {
  if (!Array.isArray(message.tool_calls)) {
    return replaceBlock(message, /^tool_use$/, draw, (block) => [block, { ...block }])
  }
  return [{ ...message, tool_calls: [...message.tool_calls, message.tool_calls[0]] }]
}

function ghost(format: Format): Native {
  const content = 'result of a lost call'
  if (format === 'openai-chat') return { role: 'tool', tool_call_id: 'call_ghost', content }
  return {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'toolu_ghost', content }],
  }
}

function textFirst(message: Native): Native[] {
  return [{ ...message, content: [{ type: 'text', text: 'First of all:' }, ...blocksOf(message)] }]
}

function blankText(message: Native, draw: Draw): Native[] {
  const blank = draw.pick(['', ' \n'])
  if (typeof message.content === 'string') return [{ ...message, content: blank }]
  return replaceBlock(message, /^text$/, draw, (block) => [{ ...block, text: blank }])
}

function loneSurrogate(message: Native, draw: Draw): Native[] {
  const broken = `half \ud83d of a face, ${'x'.repeat(draw.below(50))}\udc00`
  if (typeof message.content === 'string') return [{ ...message, content: broken }]
  return replaceBlock(message, /^text$/, draw, (block) => [{ ...block, text: broken }])
}

function unsigned(message: Native, draw: Draw): Native[] {
  return replaceBlock(message, /^thinking$/, draw, ({ signature: _signature, ...block }) => [block])
}

function dropServerCall(message: Native, draw: Draw): Native[] {
  return replaceBlock(message, /^(?:server|mcp)_tool_use$/, draw, () => [])
}

function breakArguments(message: Native, draw: Draw): Native[] {
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isRecord) : []
  const text = draw.pick(['', '{"path": "src/qu', 'rm -rf', '[1]', 'null'])
  const broken = calls.map((call) => ({
    ...call,
    function: { ...(isRecord(call.function) ? call.function : {}), arguments: text },
  }))
  return [{ ...message, tool_calls: broken }]
}

function markAll(message: Native): Native {
  if (!Array.isArray(message.content)) return message
  const content = message.content.map((block) =>
    isRecord(block) && block.type === 'text'
      ? { ...block, cache_control: { type: 'ephemeral' } }
      : block,
  )
  return { ...message, content }
}
