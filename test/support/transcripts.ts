import type { Format } from '../../src/core/model.ts'
import { isRecord, type Native, type NativeRequest } from './native.ts'
import { hasShared, listShared, readSharedJson, readSharedLines } from './shared-data.ts'

/** One recorded conversation in one of the two formats. */
export interface Transcript {
  /** The file, and the place in it where it holds several. */
  readonly name: string
  readonly format: Format
  readonly request: NativeRequest & Native
}

/** A recorded exchange: the request as it was sent and the status it was answered with. */
export interface Exchange {
  readonly case: string
  readonly status: number
  readonly request: NativeRequest & Native
}

const folder = 'data/transcripts'

/** One row of the manifest; `messages` and `toolCalls` count as the README of the transcripts says. */
export interface ManifestRow {
  readonly file: string
  readonly format: string
  readonly messages: number
  readonly toolCalls: number
  readonly features: Readonly<Record<string, number | string>>
}

/** The manifest of the transcripts; empty where the shared data is absent. */
export function readManifest(): ManifestRow[] {
  return hasShared(folder) ? readSharedJson<ManifestRow[]>(`${folder}/MANIFEST.json`) : []
}

/** Every recorded conversation whose format is one of the two; empty where the shared data is absent. */
export function readTranscripts(): Transcript[] {
  if (!hasShared(folder)) return []
  const claudeCode = listShared(folder).filter((name) => /^claude-code-.*\.jsonl$/.test(name))
  return [
    ...claudeCode.map(readClaudeCode),
    ...readTauBench('tau-bench-airline-gpt-4o.json'),
    readSweAgent('swe-agent-function-calling.traj.json'),
    ...exchangeTranscripts('api-anthropic-messages.jsonl', 'anthropic-messages'),
    ...exchangeTranscripts('api-openai-chat.jsonl', 'openai-chat'),
    ...exchangeTranscripts('api-openai-compatible-chat.jsonl', 'openai-chat'),
  ]
}

/** The recorded exchanges of an `api-*.jsonl` file. */
export function readExchanges(file: string): Exchange[] {
  return readSharedLines<Exchange>(`${folder}/${file}`)
}

function exchangeTranscripts(file: string, format: Format): Transcript[] {
  return readExchanges(file).map(({ case: name, request }, index) => ({
    name: `${file}#${index} ${name}`,
    format,
    request,
  }))
}

/** A line of a Claude Code session, as far as it is read. */
interface SessionLine {
  readonly type: string
  readonly isSidechain?: boolean
  readonly isApiErrorMessage?: boolean
  readonly message?: { readonly id?: string; readonly role: string; readonly content: unknown }
}

/** True for a line that the model was sent or sent itself, in the main conversation. */
function isConversation(line: SessionLine): boolean {
  const isSpoken = line.type === 'user' || line.type === 'assistant'
  return isSpoken && line.isSidechain !== true && line.isApiErrorMessage !== true
}

/** Reads a Claude Code session as one history of Anthropic messages, all compactions in it included. */
export function readClaudeCode(file: string): Transcript {
  const lines = readSharedLines<SessionLine>(`${folder}/${file}`)
  const messages = mergeLines(lines.filter(isConversation))
  return {
    name: file,
    format: 'anthropic-messages',
    request: { model: 'claude-sonnet-4-5', max_tokens: 8192, messages },
  }
}

/**
 * One response is several lines with one `message.id`, and results stand between them, because tools start while
 * it still streams. The blocks of later lines go to the first one's place; so what stood between follows the turn.
 */
function mergeLines(lines: readonly SessionLine[]): Native[] {
  const merged: { role: string; content: unknown }[] = []
  const placeById = new Map<string, number>()
  for (const { message } of lines) {
    if (message === undefined) continue
    const { id, role, content } = message
    const place = id === undefined ? undefined : placeById.get(id)
    const earlier = place === undefined ? undefined : merged[place]
    if (earlier !== undefined) {
      earlier.content = [...asBlocks(earlier.content), ...asBlocks(content)]
      continue
    }
    if (id !== undefined && role === 'assistant') placeById.set(id, merged.length)
    merged.push({ role, content })
  }
  return merged
}

function asBlocks(content: unknown): unknown[] {
  return Array.isArray(content) ? content : [{ type: 'text', text: content }]
}

/** Reads each dialogue of a tau-bench file; its messages are OpenAI chat messages as they stand. */
export function readTauBench(file: string): Transcript[] {
  const records = readSharedJson<{ task_id: number; traj: Native[] }[]>(`${folder}/${file}`)
  return records.map(({ task_id, traj }, index) => ({
    name: `${file}#${index} task ${task_id}`,
    format: 'openai-chat',
    request: { model: 'gpt-4o', messages: traj },
  }))
}

/** Reads a function-calling SWE-agent file; its tool messages name their call in a list of one. */
export function readSweAgent(file: string): Transcript {
  const { history } = readSharedJson<{ history: Native[] }>(`${folder}/${file}`)
  const messages = history.map(({ role, content, tool_calls, tool_call_ids }) => ({
    role,
    content,
    ...(tool_calls === undefined ? {} : { tool_calls }),
    ...(Array.isArray(tool_call_ids) ? { tool_call_id: tool_call_ids[0] } : {}),
  }))
  return { name: file, format: 'openai-chat', request: { model: 'gpt-4o', messages } }
}

/** True for a request with thinking switched on (Anthropic). */
export function thinks(request: Native): boolean {
  return isRecord(request.thinking) && request.thinking.type !== 'disabled'
}
