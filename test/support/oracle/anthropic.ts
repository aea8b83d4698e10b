import { blocksOf, callsOf, isRecord, type Native, resultsOf } from '../native.ts'
import { type BrokenRule, eachMessage, isBlank, type JudgedRequest, ruleOf } from './broken-rule.ts'
import { thinkingRules } from './thinking.ts'

/**
 * "`tool_use` ids were found without `tool_result` blocks immediately after: toolu_…. Each `tool_use` block must
 * have a corresponding `tool_result` block in the next message."
 */
const callUnanswered = ruleOf('call-unanswered', 'refused')
/**
 * "unexpected `tool_use_id` found in `tool_result` blocks: toolu_…. Each `tool_result` block must have a
 * corresponding `tool_use` block in the previous message."
 */
const resultWithoutCall = ruleOf('result-without-call', 'refused')
/**
 * "Did not find 1 tool_result block(s) at the beginning of this message. Messages following tool_use blocks must
 * begin with a matching number of tool_result blocks."
 */
const resultsNotFirst = ruleOf('results-not-first', 'refused')
/** "messages.1.content.1: `tool_use` ids must be unique": of the ids of one turn. */
const idTwiceInTurn = ruleOf('id-twice-in-turn', 'refused')
/** Over the whole request the rule is FORMATS 1.2 alone: a recorded history that repeats one got 200. */
const idNotUnique = ruleOf('id-not-unique', 'common')
/** "each tool_use must have a single result. Found multiple `tool_result` blocks with id: toolu_…" */
const resultTwice = ruleOf('result-twice', 'refused')
/**
 * "unexpected `tool_use_id` found in `advisor_tool_result` blocks: srvtoolu_…. Each `advisor_tool_result` block
 * must have a corresponding `server_tool_use` block before it."
 */
const serverResultWithoutCall = ruleOf('server-result-without-call', 'refused')
/** "text content blocks must be non-empty" and "text content blocks must contain non-whitespace text" */
const blankText = ruleOf('blank-text', 'refused')
/** "all messages must have non-empty content except for the optional final assistant message" */
const emptyMessage = ruleOf('empty-message', 'refused')
/** "final assistant content cannot end with trailing whitespace" */
const prefillEndsInSpace = ruleOf('prefill-ends-in-space', 'refused')
/** Any block may carry `cache_control`, at most 4 in a request; not on thinking (FORMATS 2.3). */
const tooManyCacheMarks = ruleOf('too-many-cache-marks', 'refused')
const cacheMarkOnThinking = ruleOf('cache-mark-on-thinking', 'refused')
const MOST_CACHE_MARKS = 4
/** A call of the provider's own tool and its result stand in one assistant message; a pause may part them. */
const serverCallUnanswered = ruleOf('server-call-unanswered', 'common')

/** What Anthropic Messages refuses. */
export function anthropicRules(request: JudgedRequest): BrokenRule[] {
  const turns = turnsOf(request.messages)
  return [
    ...turns.flatMap((turn, index) => pairRules(turn, turns[index - 1], turns[index + 1])),
    ...idRules(turns),
    ...serverRules(request.messages),
    ...eachMessage(request.messages, textRules),
    ...emptyRules(request.messages),
    ...prefillRules(request.messages),
    ...cacheRules(request),
    ...thinkingRules(request, turns),
  ]
}

/** Neighbouring messages of one role, as the provider merges them before it checks anything. */
export interface MergedTurn {
  readonly role: unknown
  /** Index of its first message. */
  readonly at: number
  readonly blocks: readonly Native[]
}

function turnsOf(messages: readonly Native[]): MergedTurn[] {
  const turns: MergedTurn[] = []
  messages.forEach((message, at) => {
    const last = turns.at(-1)
    const blocks = blocksOfAny(message)
    if (last === undefined || last.role !== message.role || message.role === 'system') {
      turns.push({ role: message.role, at, blocks })
    } else turns[turns.length - 1] = { ...last, blocks: [...last.blocks, ...blocks] }
  })
  return turns
}

function blocksOfAny(message: Native): readonly Native[] {
  const { content } = message
  return typeof content === 'string' ? [{ type: 'text', text: content }] : blocksOf(message)
}

function pairRules(turn: MergedTurn, before: MergedTurn | undefined, next: MergedTurn | undefined) {
  const asked = before?.role === 'assistant' ? callIds(before) : []
  const results = resultIds(turn)
  const answered = next?.role === 'user' ? resultIds(next) : []
  const calls = turn.role === 'assistant' ? callIds(turn) : []
  const isResult = turn.blocks.map((block) => block.type === 'tool_result')
  const areFirst = isResult.lastIndexOf(true) < isResult.filter(Boolean).length
  return [
    ...(next === undefined ? [] : calls)
      .filter((id) => !answered.includes(id))
      .map((id) => callUnanswered(turn.at, id)),
    ...results.filter((id) => !asked.includes(id)).map((id) => resultWithoutCall(turn.at, id)),
    ...results
      .filter((id, index) => asked.includes(id) && results.indexOf(id) !== index)
      .map((id) => resultTwice(turn.at, id)),
    ...(areFirst ? [] : [resultsNotFirst(turn.at, 'another block stands before a result')]),
  ]
}

function callIds(turn: MergedTurn): string[] {
  return callsOf({ content: turn.blocks }).map((call) => call.callId)
}

function resultIds(turn: MergedTurn): string[] {
  return resultsOf({ content: turn.blocks }).map((result) => result.callId)
}

function idRules(turns: readonly MergedTurn[]): BrokenRule[] {
  const seen = new Set<string>()
  return turns.flatMap((turn) => {
    const ids = callIds(turn)
    const broken = ids.flatMap((id, index) => {
      if (ids.indexOf(id) !== index) return [idTwiceInTurn(turn.at, id)]
      return seen.has(id) ? [idNotUnique(turn.at, id)] : []
    })
    for (const id of ids) seen.add(id)
    return broken
  })
}

function serverRules(messages: readonly Native[]): BrokenRule[] {
  const found: BrokenRule[] = []
  const asked = new Set<unknown>()
  messages.forEach((message, at) => {
    const blocks = blocksOf(message)
    for (const block of blocks) {
      if (isServerCall(block)) asked.add(block.id)
      if (isServerResult(block) && !asked.has(block.tool_use_id)) {
        found.push(serverResultWithoutCall(at, String(block.tool_use_id)))
      }
    }
    const answered = new Set(blocks.filter(isServerResult).map((block) => block.tool_use_id))
    for (const { id } of at === messages.length - 1 ? [] : blocks.filter(isServerCall)) {
      if (!answered.has(id)) found.push(serverCallUnanswered(at, String(id)))
    }
  })
  return found
}

function isServerCall(block: Native): boolean {
  return block.type === 'server_tool_use' || block.type === 'mcp_tool_use'
}

function isServerResult(block: Native): boolean {
  return block.type !== 'tool_result' && /_tool_result$/.test(String(block.type))
}

function textRules(message: Native, at: number): BrokenRule[] {
  const nested = blocksOf(message)
    .filter((block) => block.type === 'tool_result')
    .flatMap(blocksOf)
  return [...blocksOf(message), ...nested]
    .filter((block) => block.type === 'text' && isBlank(block.text))
    .map((block) => blankText(at, JSON.stringify(block.text)))
}

function emptyRules(messages: readonly Native[]): BrokenRule[] {
  return eachMessage(messages, (message, at) => {
    const isPrefill = at === messages.length - 1 && message.role === 'assistant'
    const { content } = message
    const isEmpty = Array.isArray(content) ? content.length === 0 : isBlank(content)
    return isEmpty && !isPrefill ? [emptyMessage(at, JSON.stringify(content) ?? 'undefined')] : []
  })
}

function prefillRules(messages: readonly Native[]): BrokenRule[] {
  const last = messages.at(-1)
  const block = last === undefined ? undefined : blocksOfAny(last).at(-1)
  if (last?.role !== 'assistant' || block?.type !== 'text') return []
  return /\s$/.test(String(block.text))
    ? [prefillEndsInSpace(messages.length - 1, 'white space')]
    : []
}

function cacheRules({ system, tools, messages }: JudgedRequest): BrokenRule[] {
  const marked = [system, tools, messages].flatMap(markedIn)
  const onThinking = marked.filter((block) => /thinking$/.test(String(block.type)))
  return [
    ...(marked.length > MOST_CACHE_MARKS ? [tooManyCacheMarks(0, `${marked.length} marks`)] : []),
    ...onThinking.map((block) => cacheMarkOnThinking(0, String(block.type))),
  ]
}

/** Blocks and tools that carry a mark. Arguments and schemas are the app's: a key of that name there is no mark. */
function markedIn(value: unknown): Native[] {
  if (Array.isArray(value)) return value.flatMap(markedIn)
  if (!isRecord(value)) return []
  const nested = Array.isArray(value.content) ? value.content.flatMap(markedIn) : []
  return isRecord(value.cache_control) ? [value, ...nested] : nested
}
