import type { ToolCallPart, ToolResultPart } from './model.ts'

/** What a tool does to the world, which decides what its results can stand for. */
export type ToolEffect = 'read' | 'write' | 'edit' | 'neutral' | 'action'

/**
 * What the app declares about a tool, as data.
 *
 * `read` looks at a target; `write` replaces a target whole; `edit` changes part of it; `neutral` answers a
 * question and changes nothing (a listing, a search); `action` does something, so that a repetition may mean
 * something. A tool that nobody declared counts as `action`.
 */
export interface ToolSemantics {
  readonly effect: ToolEffect
  /** The bytes matter (a file that is about to be edited): squash never shortens its results. */
  readonly exact?: boolean
  /** Names of the argument that holds the target, the first present one counts. */
  readonly target?: readonly string[]
  /** Names of arguments that narrow a read to a part of its target. */
  readonly range?: readonly string[]
  /** The newest result is live state (a to-do list) and is carried. */
  readonly liveState?: boolean
  /** Says whether a result text is a failure, where the format has no flag. As patterns, since data crosses the worker boundary. */
  readonly isError?: readonly string[]
}

/** Tool semantics by tool name. */
export type ToolTable = Readonly<Record<string, ToolSemantics>>

const PATH = ['path', 'file_path', 'filePath', 'filename', 'file', 'uri']
const RANGE = [
  'offset',
  'limit',
  'start',
  'end',
  'start_line',
  'end_line',
  'startLine',
  'endLine',
  'view_range',
  'lines',
  'range',
  'pages',
]

const read: ToolSemantics = { effect: 'read', exact: true, target: PATH, range: RANGE }
const write: ToolSemantics = { effect: 'write', target: PATH }
const edit: ToolSemantics = { effect: 'edit', target: PATH }
const neutral: ToolSemantics = { effect: 'neutral' }

/** Semantics of tool names that are common in the field; the app's own table wins over it, name by name. */
export const defaultTools: ToolTable = {
  read_file: read,
  readFile: read,
  Read: read,
  read: read,
  cat: read,
  view: read,
  open_file: read,
  get_file_contents: read,
  write_file: write,
  writeFile: write,
  Write: write,
  write: write,
  create_file: write,
  edit_file: edit,
  Edit: edit,
  edit: edit,
  MultiEdit: edit,
  str_replace: edit,
  replace_in_file: edit,
  apply_patch: { effect: 'action' },
  list_dir: neutral,
  list_files: neutral,
  LS: neutral,
  ls: neutral,
  glob: neutral,
  Glob: neutral,
  grep: neutral,
  Grep: neutral,
  search: neutral,
  search_files: neutral,
  find: neutral,
  TodoRead: neutral,
}

const undeclared: ToolSemantics = { effect: 'action' }

/** Gives back the semantics of a tool; an `action` where the table does not name it. */
export function semanticsOf(table: ToolTable, tool: string): ToolSemantics {
  return Object.hasOwn(table, tool) ? (table[tool] ?? undeclared) : undeclared
}

type Arguments = Readonly<Record<string, unknown>>

/** Passes ask for the same again and again. Long ones are not kept beside their text. */
const parsed = new WeakMap<ToolCallPart, Arguments | 'none'>()
const LONGEST_KEPT = 1000

/** Gives back the arguments of a call as an object, or `undefined` where they are no JSON object. */
export function argumentsOf(call: ToolCallPart): Arguments | undefined {
  const known = parsed.get(call) ?? parseArguments(call) ?? 'none'
  if (call.input.length <= LONGEST_KEPT) parsed.set(call, known)
  return known === 'none' ? undefined : known
}

function parseArguments(call: ToolCallPart): Arguments | undefined {
  if (isDeep(call.input)) return undefined
  try {
    const value: unknown = JSON.parse(call.input)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Arguments) : undefined // checked one line up
  } catch {
    return undefined // arguments of real logs are sometimes cut off; that is no failure here
  }
}

/** No tool nests its arguments deeper; what does is taken for text, so that no reader of it overflows the stack. */
const MAX_NESTING = 64

/** Position of the quote that closes the string which opens at `from`. */
function endOfString(json: string, from: number): number {
  let at = from + 1
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at
}

function isDeep(json: string): boolean {
  if (json.length <= MAX_NESTING) return false
  let open = 0
  for (let at = 0; at < json.length; at++) {
    const character = json[at]
    if (character === '"') at = endOfString(json, at)
    else if (character === '{' || character === '[') open++
    else if (character === '}' || character === ']') open--
    if (open > MAX_NESTING) return true
  }
  return false
}

/** Gives back the target that a call names, or `undefined`. */
export function targetOf(semantics: ToolSemantics, call: ToolCallPart): string | undefined {
  const values = argumentsOf(call)
  for (const name of semantics.target ?? []) {
    const value = values && Object.hasOwn(values, name) ? values[name] : undefined
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

/** True where a call looks at part of its target only. */
export function isRanged(semantics: ToolSemantics, call: ToolCallPart): boolean {
  const values = argumentsOf(call)
  return (semantics.range ?? []).some(
    (name) => values?.[name] !== undefined && values[name] !== null,
  )
}

/** Gives back tool and arguments in one spelling in which the order of keys does not matter, at any depth. */
export function callIdentity(call: ToolCallPart): string {
  const values = argumentsOf(call)
  return `${call.tool} ${values === undefined ? call.input : JSON.stringify(sortKeys(values))}`
}

function sortKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sortKeys)
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
  return { entries: entries.map(([key, item]) => [key, sortKeys(item)]) }
}

/** A traceback head in common languages, or an error word, at the start of a result (SEEDS M19). */
const ERROR_HEAD =
  /^(?:error:|Error:|Traceback \(most recent call last\):|panic: |thread '[^']*' panicked)/u

/** True for a result that failed, by its flag or, where the format has none, by its text (SEEDS M19). */
export function isErrorResult(result: ToolResultPart, semantics: ToolSemantics): boolean {
  if (result.isError !== undefined) return result.isError
  if (semantics.isError)
    return semantics.isError.some((pattern) => new RegExp(pattern, 'u').test(result.text))
  return ERROR_HEAD.test(result.text) || isErrorObject(result.text)
}

function isErrorObject(text: string): boolean {
  return /^\s*\{\s*"error"\s*:/u.test(text) && parsesAsJson(text)
}

/** True for text that parses as JSON. */
export function parsesAsJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false // not JSON is an answer, not a failure
  }
}

/** Refusals by a person or a policy begin so, unless the app declares others (SEEDS M7). */
export const defaultRefusalPrefixes: readonly string[] = [
  'Denied by the user:',
  'Blocked by policy:',
  'Blocked by a hook:',
]

/** A person's or a policy's no is short; a longer text that begins like one is a tool's. */
const MAX_REFUSAL_LENGTH = 4000

/** True for a result in which a person or a policy said no. */
export function isRefusal(text: string, prefixes: readonly string[]): boolean {
  if (text.length > MAX_REFUSAL_LENGTH) return false
  return prefixes.some((prefix) => prefix !== '' && text.startsWith(prefix))
}
