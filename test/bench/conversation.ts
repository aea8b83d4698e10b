/** A chat message as OpenAI's format has it, as far as the bench needs it. */
export interface BenchMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string | null
  readonly tool_calls?: readonly object[]
  readonly tool_call_id?: string
}

/** A request of about so many tokens. */
export interface BenchRequest {
  readonly model: string
  readonly messages: readonly BenchMessage[]
}

/** Characters of JSON for each token, as Tamp counts what this file makes with o200k_base. */
export const CHARACTERS_PER_TOKEN = 5.18

const words =
  `river station budget parser migrate customer ledger invoice window retry timeout schema
  latency deploy cluster quiet harbour morning ticket refund export column filter query cache index
  signal worker thread stream reader writer buffer cursor anchor summary decide because although
  between against without perhaps therefore the a of and to in is that it was for on with as`.split(
    /\s+/,
  )

/** A small generator of numbers (mulberry32): the same seed gives the same conversation. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A coding chat: questions, calls that read files or run tests, long results, answers. */
export function benchRequest(tokens: number, seed: number): BenchRequest {
  const random = randomFrom(seed)
  const messages: BenchMessage[] = [{ role: 'system', content: 'You are a careful assistant.' }]
  let room = tokens * CHARACTERS_PER_TOKEN
  for (let step = 0; room > 0; step += 1) {
    const added = stepMessages(step, random)
    messages.push(...added)
    room -= added.reduce((sum, message) => sum + JSON.stringify(message).length, 0)
  }
  messages.push({ role: 'user', content: 'What is still open? Answer in one paragraph.' })
  return { model: 'gpt-4o', messages }
}

/** So many short questions and answers in turn. */
export function benchMessages(count: number, seed: number): readonly BenchMessage[] {
  const random = randomFrom(seed)
  return Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: sentence(12, random),
  }))
}

function stepMessages(step: number, random: () => number): BenchMessage[] {
  const id = `call_${step}`
  // Files come up again: later reads supersede earlier ones.
  const path = `src/${pick(random)}/${pick(random)}.ts`
  const call = { name: 'read_file', arguments: JSON.stringify({ path }) }
  return [
    { role: 'user', content: `${sentence(30, random)} See ${path}:${step}.` },
    { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: call }] },
    { role: 'tool', tool_call_id: id, content: lines(20, random) },
    { role: 'assistant', content: sentence(80, random) },
  ]
}

function lines(count: number, random: () => number): string {
  return Array.from({ length: count }, (_, line) => `${line + 1}: ${sentence(8, random)}`).join(
    '\n',
  )
}

function sentence(length: number, random: () => number): string {
  const chosen = Array.from({ length }, () => pick(random))
  return `${chosen.join(' ')} ${Math.floor(random() * 10_000)}.`
}

function pick(random: () => number): string {
  return words[Math.floor(random() * words.length)] ?? ''
}
