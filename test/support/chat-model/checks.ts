import { expect } from 'vitest'
import type { CompactionReport, Turn } from '../../../src/index.ts'
import { countRequest } from '../count.ts'
import type { Native, NativeRequest } from '../native.ts'
import { callsOf, resultsOf, textsOfContent } from '../native.ts'
import { newlyBroken, refusals } from '../oracle.ts'
import { bytesOf } from './tree.ts'
import type { Sent, Tab, World } from './world.ts'

type Request = Native & NativeRequest

/** A turn that came back, with the path that its request stands for. */
export interface Came {
  readonly path: readonly number[]
  readonly request: Request
  readonly turn: Turn<Request>
}

export async function checkTurn(world: World, tab: Tab, came: Came): Promise<void> {
  const { path, request, turn } = came
  const isFault = turn.report.outcome === 'failed' && turn.report.limitTokens === 0
  expect(isFault ? turn.report.reason : undefined, 'a fault of its own').toBeUndefined()
  expect(refusals(world.format, request), 'the input is legal').toEqual([])
  expect(refusals(world.format, turn.request), 'the provider accepts it').toEqual([])
  const originals = [...world.writing.head.messages, ...path.map((node) => world.tree.native(node))]
  const said = { ...request, messages: originals }
  expect(newlyBroken(world.format, said, turn.request), 'nothing newly broken').toEqual([])
  const { windowTokens, reserveTokens } = world
  const room = windowTokens - reserveTokens
  expect(countRequest(turn.request).total, 'within the room').toBeLessThanOrEqual(room)
  await checkSameBytes(world, tab, came)
  await checkTold(world, tab)
}

/** Tells compactions apart, also after a way through a file. */
export function nameOf(report: CompactionReport): string {
  const { tokensBefore, tokensAfter, keptPrefixTokens, milliseconds } = report
  return [tokensBefore, tokensAfter, keptPrefixTokens, milliseconds].join(' ')
}

async function checkSameBytes(world: World, tab: Tab, came: Came): Promise<void> {
  const { path, turn, request } = came
  const records = await tab.conversation.compactions()
  const active = records.find((record) => record.active)
  const compaction = active ? nameOf(active.report) : ''
  const messages = turn.request.messages.map(bytesOf)
  const now: Sent = { path, compaction, messages, leading: world.writing.head.messages.length }
  if (!world.depths.has(compaction)) world.depths.set(compaction, path.length)
  for (const before of world.sent) checkPair(world, before, now)
  world.sent = [...world.sent.slice(-30), now]
  world.paths.push(path)
  checkCovered(world, came, active ? await coveredOf(tab, active.through) : 0)
  const isSame = JSON.stringify(turn.request) === JSON.stringify(request)
  if (isSame) expect(turn.request, 'the very same object').toBe(request)
}

/**
 * Two requests with the same compaction: the same path has the same bytes, a longer one continues it. Where an app
 * went back behind the place at which it was made, what follows may be joined to the checkpoint.
 */
function checkPair({ depths }: World, before: Sent, now: Sent): void {
  if (before.compaction !== now.compaction) return
  const [short, long] = before.path.length <= now.path.length ? [before, now] : [now, before]
  if (!short.path.every((node, depth) => long.path[depth] === node)) return
  if (short.path.length === long.path.length) expect(now.messages, 'same').toEqual(before.messages)
  else if (short.path.length >= (depths.get(now.compaction) ?? 0))
    expect(start(long, short).map(withoutReasoning), 'prefix').toEqual(
      short.messages.map(withoutReasoning),
    )
}

function start(long: Sent, short: Sent): readonly string[] {
  return long.messages.slice(0, short.messages.length)
}

/** A loop that runs again has its reasoning for as long as it runs. */
function withoutReasoning(message: string): string {
  return JSON.stringify(JSON.parse(message), (name, held) => {
    if (name === 'reasoning_content') return undefined
    return Array.isArray(held) ? held.filter((block) => !/thinking/u.test(block?.type)) : held
  })
}

/** How many messages of the active path a compaction covers. */
async function coveredOf({ conversation }: Tab, through: number): Promise<number> {
  const transcript = await conversation.transcript()
  return transcript.findIndex(({ seq }) => seq === through) + 1
}

/** What no compaction covers is in the request: whole, or as a result that is said to be shortened. */
function checkCovered(world: World, { path, turn }: Came, covered: number): void {
  const whole = new Set(turn.request.messages.map(bytesOf))
  const text = JSON.stringify(turn.request.messages)
  const shown = path.filter((node) => !world.tree.isForgotten(node))
  for (const node of shown.slice(covered)) {
    const native = world.tree.native(node)
    if (whole.has(bytesOf(native)) || world.writing.isBlank(native)) continue
    const ids = [...callsOf(native), ...resultsOf(native)].map(({ callId }) => callId)
    const words = textsOfContent(native.content).map((said) => JSON.stringify(said).slice(1, -1))
    const isResult = native.role === 'tool'
    const isThere = [...ids, ...(isResult ? [] : words)].every((word) => text.includes(word))
    expect(isThere, `message ${node} is gone: ${JSON.stringify(native)}`).toBe(true)
  }
}

/** The transcript is what the app sent, and the snapshot tells no other number. */
export async function checkTold(world: World, tab: Tab): Promise<void> {
  const { conversation } = tab
  const transcript = await conversation.transcript()
  const visible = world.visible()
  const cut = world.storedTip === undefined ? world.cutReplies : []
  const expected = visible.map((node) => bytesOf(world.tree.native(node)))
  const whole = transcript.filter(({ interrupted }) => !interrupted)
  expect(
    whole.map(({ message }) => bytesOf(message)),
    'the transcript',
  ).toEqual(expected)
  const drafts = transcript.filter(({ interrupted }) => interrupted).map(({ message }) => message)
  const open = cut.filter(({ parent }) => parent === world.tip).map(({ message }) => message)
  expect(drafts.map(bytesOf).sort(), 'cut replies').toEqual(open.map(bytesOf).sort())
  if (world.storedTip === undefined) checkBranches(world, transcript, visible)
  await checkSnapshot(world, tab)
}

function checkBranches(
  world: World,
  transcript: readonly { readonly seq: number | undefined; readonly branches: readonly number[] }[],
  visible: readonly number[],
): void {
  const told = transcript.flatMap(({ seq, branches }) => (seq === undefined ? [] : branches.length))
  expect(told, 'branches').toEqual(visible.map((node) => world.tree.branches(node)))
}

async function checkSnapshot(world: World, { conversation }: Tab): Promise<void> {
  const records = await conversation.compactions()
  const snapshot = conversation.getSnapshot()
  expect(snapshot, 'the snapshot').toMatchObject({
    messages: world.visible().length,
    compactions: records.length,
    compacting: false,
    canUndo: records.some(({ active }) => active),
  })
  expect(records.filter(({ active }) => active).length, 'one compaction').toBeLessThanOrEqual(1)
  expect(
    records.some(({ active, undone }) => active && undone),
    'active and undone',
  ).toBe(false)
}

/** While the store fails it is told, and once more when all is stored again. */
export function checkStorage(world: World, { conversation, told }: Tab): void {
  const { storage } = conversation.getSnapshot()
  if (storage === 'durable' || storage === 'superseded') return
  expect(world.isFailing, `still ${storage}`).toBe(true)
  expect(told.at(-1)).toMatch(/^(?:storage-failed|quota-exceeded)$/u)
}
