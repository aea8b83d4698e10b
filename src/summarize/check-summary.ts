import { textOf } from '../core/model.ts'
import type { SummaryCheck } from '../core/report.ts'
import { wellFormed } from '../core/shorten/characters.ts'
import type { Fold, ModelReply, SummaryVerdict } from '../core/summary.ts'
import { isRule } from './cues.ts'
import { type EntityType, entitiesOf } from './entities.ts'
import type { Line } from './lines.ts'
import { SUMMARY_HEADINGS } from './prompt.ts'
import { type Salience, type SalienceIndex, topEntities } from './salience.ts'
import { wordOverlap, wordsOf } from './words.ts'

/** What the checks look at: the lines are those of all that the checkpoint stands for, earlier folds included. */
export interface Evidence {
  readonly fold: Fold
  readonly lines: readonly Line[]
  readonly index: SalienceIndex
  readonly countText: (text: string) => number
}

/** How many exact strings are asked for (QUALITY 5.4). */
export const TOP_ENTITIES = 40

/**
 * Checks a summary without a model (QUALITY 5.4; SEEDS 5, "Model-free checks of a summary"). Refused: nothing
 * said, a cut-off, a reply or refusal, tool syntax, not clearly smaller than what it replaces. Mended: exact
 * strings and rules of the user that are missing are appended. Flagged: another script, made-up strings, no
 * headings.
 */
export function checkSummary(reply: ModelReply, evidence: Evidence): SummaryVerdict {
  const refused = refusalOf(reply, evidence)
  if (refused) return refused
  const text = reply.type === 'text' ? wellFormed(reply.text.trim()) : ''
  const additions = missingStrings(text, evidence)
  const mended =
    additions.lines.length === 0 ? text : `${text}\n\n## Facts\n${additions.lines.join('\n')}`
  return {
    type: 'accepted',
    text: mended,
    checks: [...passedChecks, additions.check, ...flags(text, evidence)],
  }
}

const passedChecks: readonly SummaryCheck[] = ['said something', 'is a summary', 'is smaller'].map(
  (name) => ({
    name,
    verdict: 'passed',
    detail: undefined,
  }),
)

function rejected(name: string, reason: string, mayRegenerate: boolean): SummaryVerdict {
  return {
    type: 'rejected',
    reason,
    mayRegenerate,
    checks: [{ name, verdict: 'rejected', detail: reason }],
  }
}

/** What makes a summary unusable, the cheapest check first. Only what another call may mend is asked again (SEEDS K3). */
function refusalOf(reply: ModelReply, evidence: Evidence): SummaryVerdict | undefined {
  if (reply.type === 'failed')
    return rejected('said something', `the summarizer failed: ${reply.message}`, false)
  const text = reply.text.trim()
  if (text.replace(INVISIBLE, '') === '')
    return rejected('said something', 'the summary is blank', false)
  if (reply.finish === 'length' || reply.finish === 'max_tokens') {
    return rejected('said something', 'the summary was cut off by its output limit', false)
  }
  const long = tooLong(text, evidence)
  if (long && !isErrorPage(text)) return long
  if (isErrorPage(text)) {
    return rejected('is a summary', 'the summary is an error page of the provider', false)
  }
  if (hasToolSyntax(text))
    return rejected('is a summary', 'the summary contains tool-call syntax', true)
  if (readsAsReply(text) && coverageOf(text, evidence) < MIN_REPLY_COVERAGE) {
    return rejected('is a summary', 'the summary reads as a reply or a refusal', true)
  }
  return undefined
}

/** No text that says something has more characters a token; what has is not even counted. */
const MAX_CHARACTERS_PER_TOKEN = 64
/** Characters that show nothing: a text of these alone is blank. */
const INVISIBLE = /[\s\u200b-\u200f\u2060\ufeff]+/gu

/** A summary may run over the wanted length by this factor, and never be more than half of what it replaces (SEEDS K13). */
const LENGTH_FACTOR = 1.3

function tooLong(text: string, { fold, countText }: Evidence): SummaryVerdict | undefined {
  const limit = Math.min(LENGTH_FACTOR * fold.capTokens, fold.foldedTokens / 2)
  const isEndless = text.length > limit * MAX_CHARACTERS_PER_TOKEN
  const tokens = isEndless ? undefined : countText(text)
  if (tokens !== undefined && tokens <= limit) return undefined
  const size = tokens === undefined ? `${text.length} characters` : `${tokens} tokens`
  const reason = `the summary has ${size}; ${Math.floor(limit)} tokens are allowed`
  return rejected('is smaller', reason, true)
}

const TOOL_SYNTAX =
  /<(?:tool_call|function_calls?|invoke|tool_use|antml:[a-z_]+)[\s>]|^[ \t]*\{\s*"(?:tool_calls|function_call|tool_use|name"\s*:\s*"[^"]{1,80}"\s*,\s*"(?:arguments|input))"/imu

function hasToolSyntax(text: string): boolean {
  return TOOL_SYNTAX.test(text)
}

/** What a failing proxy or provider answers where the app did not look at the status. */
function isErrorPage(text: string): boolean {
  return (
    /^\s*<(?:!doctype|html)\b/iu.test(text) || /^\s*\{\s*"(?:error|errors|detail)"\s*:/u.test(text)
  )
}

const REPLY_OPENER =
  /^(?:(?:sure|certainly|of course|okay|ok|absolutely|great|thanks|thank you|hello|hi)\b[,!. ]|i(?:'m| am)? (?:sorry|cannot|can't|can not|unable|won't|don't|apologi[sz]e|will|would|understand|see)\b|as an ai\b|it (?:looks|seems|appears) (?:like )?(?:your|the) (?:message|conversation|text)|(?:please|could you|can you|would you)\b|let me\b|[2-9]\d?[.)]\s)/iu
const CUT_OFF_COMPLAINT =
  /\b(?:message|text|conversation|transcript) (?:was |is |appears |seems |got )?(?:to be )?(?:cut off|incomplete|truncated)\b/iu
const ASKS_READER = /\b(?:you|your)\b[^.?!\n]{0,120}\?\s*$/iu

function readsAsReply(text: string): boolean {
  return REPLY_OPENER.test(text) || CUT_OFF_COMPLAINT.test(text) || ASKS_READER.test(text)
}

/** What reads as a reply is taken for one only where it covers less of the exact strings than this (QUALITY 5.4). */
const MIN_REPLY_COVERAGE = 0.2
/** Below this share the missing strings are appended (QUALITY 5.4). */
const MIN_COVERAGE = 0.35

function coverageOf(text: string, { index }: Evidence): number {
  const top = topEntities(index, TOP_ENTITIES)
  const total = top.reduce((sum, salience) => sum + salience.weight, 0)
  if (total === 0) return 0
  return (
    top.reduce((sum, salience) => sum + (text.includes(salience.text) ? salience.weight : 0), 0) /
    total
  )
}

/** Types that are appended wherever they were seen; others only when seen twice or said by a person (QUALITY 5.4). */
const EXACT_TYPES: ReadonlySet<EntityType> = new Set(['uuid', 'hash', 'host', 'path', 'id'])
const APPEND_SHARE = 0.15
const APPEND_TOKENS = 150

interface Additions {
  readonly lines: readonly string[]
  readonly check: SummaryCheck
}

function missingStrings(text: string, evidence: Evidence): Additions {
  const { fold, countText } = evidence
  const missing = [...missingRules(text, evidence), ...missingEntities(text, evidence)]
  const room = Math.min(
    Math.max(APPEND_SHARE * fold.capTokens, APPEND_TOKENS),
    fold.foldedTokens / 2 - countText(text),
    Math.max(0, LENGTH_FACTOR * fold.capTokens - countText(text)),
  )
  const lines: string[] = []
  let used = 0
  for (const line of new Set(missing)) {
    const cost = countText(line) + 1
    if (used + cost > room) continue
    lines.push(line)
    used += cost
  }
  const detail = lines.length === 0 ? undefined : `${lines.length} lines appended`
  return {
    lines,
    check: {
      name: 'has the exact strings',
      verdict: lines.length === 0 ? 'passed' : 'mended',
      detail,
    },
  }
}

function missingRules(text: string, { lines }: Evidence): readonly string[] {
  const words = new Set(wordsOf(text))
  return lines
    .filter(
      (line) => line.origin === 'user' && isRule(line.text) && wordOverlap(line.text, words) < 0.5,
    )
    .map((line) => `${line.tag} ${line.text}`)
}

function missingEntities(text: string, evidence: Evidence): readonly string[] {
  if (coverageOf(text, evidence) >= MIN_COVERAGE) return []
  return topEntities(evidence.index, TOP_ENTITIES)
    .filter((salience) => isWorthAppending(salience) && !text.includes(salience.text))
    .map(({ line }) => `${line.tag} ${line.text}`)
}

function isWorthAppending(salience: Salience): boolean {
  return EXACT_TYPES.has(salience.type) || salience.units > 1 || salience.saidByPerson
}

/** What the report should say though the summary is used. */
function flags(text: string, evidence: Evidence): readonly SummaryCheck[] {
  return [
    flag('has the headings', missingHeadings(text)),
    flag('is in the script of the user', otherScript(text, evidence)),
    flag('invents no strings', inventedStrings(text, evidence)),
  ]
}

function flag(name: string, detail: string | undefined): SummaryCheck {
  return { name, verdict: detail === undefined ? 'passed' : 'flagged', detail }
}

/** Share of the headings that a checkpoint of Tamp's own prompt must have (QUALITY 5.4). */
const HEADING_SHARE = 0.7

function missingHeadings(text: string): string | undefined {
  const found = SUMMARY_HEADINGS.filter((heading) => text.includes(`## ${heading}`)).length
  if (found >= HEADING_SHARE * SUMMARY_HEADINGS.length) return undefined
  return `${found} of ${SUMMARY_HEADINGS.length} headings`
}

const SCRIPTS = [
  'Latin',
  'Han',
  'Hiragana',
  'Hangul',
  'Cyrillic',
  'Arabic',
  'Hebrew',
  'Thai',
  'Devanagari',
  'Greek',
]
const SCRIPT_PATTERNS = SCRIPTS.map(
  (script) => [script, new RegExp(`\\p{Script=${script}}`, 'gu')] as const,
)

function dominantScript(text: string): string | undefined {
  let best: readonly [string | undefined, number] = [undefined, 0]
  for (const [script, pattern] of SCRIPT_PATTERNS) {
    const count = text.match(pattern)?.length ?? 0
    if (count > best[1]) best = [script, count]
  }
  return best[0]
}

function otherScript(text: string, { lines }: Evidence): string | undefined {
  const spoken = lines.filter((line) => line.origin === 'user').map((line) => line.text)
  const [wanted, got] = [dominantScript(spoken.join('\n')), dominantScript(text)]
  return wanted === undefined || wanted === got
    ? undefined
    : `${got} where the user writes ${wanted}`
}

const STRICT_TYPES: ReadonlySet<EntityType> = new Set(['path', 'id', 'url'])

function inventedStrings(text: string, { index, fold }: Evidence): string | undefined {
  const kept = [...fold.kept.flatMap((unit) => unit.parts.map(textOf)), fold.earlier?.text].join(
    '\n',
  )
  const strict = entitiesOf(text).filter((entity) => STRICT_TYPES.has(entity.type))
  const invented = strict.filter(
    (entity) => !index.byText.has(entity.text) && !kept.includes(entity.text),
  )
  return invented.length > 2
    ? `${invented.length} strings that are not in the recording`
    : undefined
}
