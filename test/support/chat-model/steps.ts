import { expect } from 'vitest'
import type { Draw } from '../generate/draw.ts'
import type { Native } from '../native.ts'
import { checkStorage, checkTold, nameOf } from './checks.ts'
import { arrive, cutsOf, orRefused, send, sendTwice } from './sending.ts'
import { bytesOf, ROOT } from './tree.ts'
import type { Tab, World } from './world.ts'
import { wordyKinds } from './writing.ts'

type Step = (world: World, tab: Tab, draw: Draw) => Promise<void>

/** What an app, its user or its device may do. Each can be done at any time, and does nothing where it makes no sense. */
export const steps = {
  append: async (world, tab, draw) => {
    if (tab.history.length === 0) tab.history.push(...world.writing.ask(draw))
    tab.history.push(...nextStep(world, tab, draw))
    await send(world, tab)
  },
  edit: async (world, tab, draw) => {
    const cuts = cutsOf(world, tab)
    if (cuts.length === 0) return
    const length = draw.pick(cuts)
    const last = tab.history[length - 1]
    if (last?.role !== 'user') return
    tab.history = [...tab.history.slice(0, length - 1), world.writing.reworded(last)]
    await send(world, tab)
  },
  mutate: async (world, tab, draw) => {
    const own = tab.history.slice(tab.echo.count).filter(({ role }) => role === 'user')
    if (own.length === 0) return
    const message = draw.pick(own)
    Object.assign(message, world.writing.reworded(message))
    await send(world, tab)
  },
  regenerate: async (world, tab, draw) => {
    const cuts = cutsOf(world, tab)
    if (cuts.length === 0) return
    tab.history.length = draw.pick(cuts)
    tab.history.push(...world.writing.reply(draw), ...world.writing.ask(draw))
    await send(world, tab)
  },
  shrink: async (world, tab, draw) => {
    const cuts = cutsOf(world, tab)
    if (cuts.length === 0) return
    tab.history.length = draw.pick(cuts)
    await send(world, tab)
  },
  goBack: async (world, tab, draw) => {
    const paths = world.paths.filter((path) => !path.some((node) => world.tree.isForgotten(node)))
    if (paths.length === 0) return
    world.rewind(tab, draw.pick(paths))
    await send(world, tab)
  },
  again: async (world, tab) => {
    await send(world, tab)
    await send(world, tab)
  },
  atOnce: async (world, tab, draw) => {
    const other = draw.pick(world.tabs)
    const isShared = other.echo.count === 0 && tab.echo.count === 0
    if (isShared) other.history = structuredClone(tab.history)
    arrive(world, tab)
    const [one, two] = await sendTwice(world, [tab, isShared ? other : tab])
    const isGood = [one, two].every((turn) =>
      /unchanged|compacted/u.test(turn?.report.outcome ?? ''),
    )
    if (isGood) expect(bytesOf(two?.request.messages)).toBe(bytesOf(one?.request.messages))
    await send(world, tab)
  },
  echo: async (world, tab, draw) => {
    const came = await send(world, tab)
    // Output that leaves out a blank end has the same bytes as output without it: it stands for either.
    if (!came || tab.history.some((message) => world.writing.isBlank(message))) return
    const leading = world.writing.head.messages.length
    tab.history = JSON.parse(JSON.stringify(came.turn.request.messages.slice(leading))) as Native[]
    tab.echo = { count: tab.history.length, nodes: came.path }
    tab.history.push(...nextStep(world, tab, draw))
    await send(world, tab)
  },
  compact: async (world, tab, draw) => {
    const before = tab.ends
    const focus = draw.chance(30) ? { focus: 'the newest gate' } : {}
    const report = await orRefused(() => tab.conversation.compact(focus))
    if (report?.outcome === 'compacted')
      world.depths.set(nameOf(report), world.tree.path(world.tip).length)
    expect(tab.ends - before).toBe(report?.outcome === 'compacted' ? 1 : 0)
    await checkTold(world, tab)
    await send(world, tab)
  },
  undo: async (world, tab) => {
    await tab.conversation.compactions()
    const { canUndo } = tab.conversation.getSnapshot()
    const undone = await tab.conversation.undo()
    expect(undone !== undefined, 'can be undone').toBe(canUndo)
    if (undone) expect(undone).toMatchObject({ active: false, undone: true })
    if (undone) expect(tab.conversation.getSnapshot().canRedo, 'undone').toBe(true)
    await checkTold(world, tab)
  },
  redo: async (world, tab) => {
    await tab.conversation.compactions()
    const { canRedo } = tab.conversation.getSnapshot()
    const redone = await tab.conversation.redo()
    expect(redone !== undefined, 'can be brought back').toBe(canRedo)
    if (redone) expect(redone).toMatchObject({ active: true, undone: false })
    await checkTold(world, tab)
  },
  thereAndBack: async (world, tab) => {
    const first = await send(world, tab)
    const undone = await tab.conversation.undo()
    const between = await send(world, tab)
    if (!undone || !first || between?.turn.report.outcome === 'compacted') return
    await tab.conversation.redo()
    const last = await send(world, tab)
    if (last?.turn.report.outcome === 'compacted') return
    const messages = last?.turn.request.messages
    expect(bytesOf(messages)).toBe(bytesOf(first.turn.request.messages))
  },
  settle: async (world, tab, draw) => {
    const came = await send(world, tab)
    const [reply] = world.writing.reply(draw)
    if (!came || !reply) return
    const parent = came.path.at(-1) ?? ROOT
    await came.turn.settle({ message: reply, usage: { prompt_tokens: 10 } })
    await came.turn.settle({ message: reply })
    world.dropCutReplies(parent)
    const node = world.tree.add(parent, reply)
    if (world.tip === parent) world.moveTo(node)
    await checkTold(world, tab)
    tab.history.push(reply, ...world.writing.ask(draw))
  },
  draft: async (world, tab, draw) => {
    if (world.isFailing) return
    const came = await send(world, tab)
    const [message] = world.writing.reply(draw)
    if (!came || !message) return
    came.turn.draft(message)
    await tab.conversation.compactions()
    world.cutReplies.push({ parent: came.path.at(-1) ?? ROOT, message })
    await reload(world, tab)
  },
  measure: async (world, tab) => {
    await checkTold(world, tab)
    const before = tab.conversation.getSnapshot()
    const measured = await tab.conversation.measure(world.requestOf(tab), { format: world.format })
    const segments = Object.values(measured.segments).reduce((sum, tokens) => sum + tokens, 0)
    expect(segments).toBe(measured.totalTokens)
    await tab.conversation.compactions()
    expect(tab.conversation.getSnapshot(), 'nothing was stored').toEqual(before)
  },
  reload: async (world, tab) => {
    if (!world.isFailing) await reload(world, tab)
  },
  openTab: async (world, tab) => {
    if (world.isFailing || world.tabs.length > 1) return
    const isWhole = world.visible().length === world.tree.path(world.tip).length
    const opened = world.open(isWhole ? world.visible() : [])
    if (!isWhole) startAfresh(world, opened)
    await checkTold(world, opened)
    await checkTold(world, tab)
  },
  closeTab: async (world, tab) => {
    if (!world.isFailing && world.tabs.length > 1) await world.close(tab)
  },
  fail: async (world, tab, draw) => {
    if (world.isFailing) return
    for (const other of world.tabs) if (other !== tab) await world.close(other)
    await checkTold(world, tab) // what other tabs stored is read before the store fails
    const at = draw.pick(['write', 'commit', 'read', 'open'] as const)
    const code = draw.pick(['storage-failed', 'quota-exceeded'] as const)
    world.failing.fail(at, code, draw.below(3))
    world.isFailing = true
    tab.history.push(...(tab.history.length === 0 ? world.writing.ask(draw) : []))
    tab.history.push(...nextStep(world, tab, draw))
    await send(world, tab)
    checkStorage(world, tab)
  },
  failAndReload: async (world, tab, draw) => {
    if (world.isFailing) return
    for (const other of world.tabs) if (other !== tab) await world.close(other)
    world.failing.fail(draw.pick(['open', 'read']), 'storage-failed')
    world.isFailing = true
    world.storedTip = world.tip
    world.hasSentBlindly = false
    world.sent = []
    const own = tab.history.slice(tab.echo.count)
    await world.close(tab)
    world.tip = ROOT
    const blind = world.open(tab.echo.nodes)
    blind.history.push(...own)
    await checkTold(world, blind)
    checkStorage(world, blind)
  },
  mend: (world, tab) => mend(world, tab),
  abort: async (world, tab) => {
    const controller = new AbortController()
    const reason = new Error('the user left')
    world.summarizer.whenHeld = () => controller.abort(reason)
    arrive(world, tab)
    const { signal } = controller
    const run = () =>
      tab.conversation.prepare(world.requestOf(tab), { signal, format: world.format })
    const outcome = await orRefused(run).catch((error: unknown) => error)
    world.summarizer.whenHeld = undefined
    if (signal.aborted) expect(outcome).toBe(reason)
    else if (outcome instanceof Error) throw outcome
    await checkTold(world, tab)
    await send(world, tab)
  },
  moveByFile: async (world, tab) => {
    if (world.isFailing || world.tip === ROOT) return
    for (const other of world.tabs) if (other !== tab) await world.close(other)
    const compactions = await tab.conversation.compactions()
    const file = await tab.conversation.export()
    expect(await tab.conversation.import(file)).toMatchObject({ addedMessages: 0 })
    expect(await tab.conversation.compactions()).toEqual(compactions)
    await tab.conversation.delete()
    tab.conversation = tab.tamp.conversation('chat')
    world.listen(tab)
    await tab.conversation.import(file)
    expect(await tab.conversation.compactions()).toEqual(compactions)
    await checkTold(world, tab)
    await send(world, tab)
  },
  forget: async (world, tab, draw) => {
    if (world.isFailing || world.tip === ROOT) return
    for (const other of world.tabs) if (other !== tab) await world.close(other)
    const visible = world.visible()
    const transcript = (await tab.conversation.transcript()).filter((one) => !one.interrupted)
    const at = draw.below(visible.length)
    const [node, seq] = [visible[at], transcript[at]?.seq]
    if (node === undefined || seq === undefined) return
    expect(await tab.conversation.forget(seq)).toBe(true)
    world.tree.forget(node)
    world.sent = []
    const gone = JSON.stringify(world.tree.native(node))
    const isOnce = world.tree.copies(node) === 1
    if (isOnce) expect((await tab.conversation.export()).includes(gone), 'gone').toBe(false)
    for (const each of world.tabs) startAfresh(world, each)
    await checkTold(world, tab)
  },
  marks: async (world) => {
    if (world.format === 'anthropic-messages') world.isMarked = !world.isMarked
  },
  proxies: async (world) => {
    world.isProxied = !world.isProxied
  },
} as const satisfies Record<string, Step>

/** Behind Tamp's own output nothing is blank. */
function nextStep(world: World, { echo, history }: Tab, draw: Draw): Native[] {
  if (history.length === 0) return world.writing.ask(draw)
  return world.writing.step(draw, echo.count > 0 ? wordyKinds : undefined)
}

export type StepName = keyof typeof steps

/** An app that was told to forget keeps no list of old: it begins another chat in the same conversation. */
function startAfresh(world: World, tab: Tab): void {
  world.rewind(tab, [])
  tab.history.push(...world.writing.ask(world.draw))
}

async function reload(world: World, tab: Tab): Promise<void> {
  await world.close(tab)
  const fresh = world.open([])
  fresh.echo = tab.echo
  fresh.history = structuredClone(tab.history)
  await checkTold(world, fresh)
}

/** After the store is mended everything is in it: a new tab sees all of it. */
async function mend(world: World, tab: Tab): Promise<void> {
  if (!world.isFailing) return
  world.failing.mend()
  world.isFailing = false
  world.waitForStore()
  await tab.conversation.compactions()
  if (world.storedTip !== undefined && !world.hasSentBlindly) world.tip = world.storedTip
  if (world.storedTip !== undefined) world.sent = []
  world.storedTip = undefined
  checkStorage(world, tab)
  await checkTold(world, tab)
  const told = await tab.conversation.export()
  await reload(world, tab)
  expect(await world.tabs.at(-1)?.conversation.export(), 'all is stored').toBe(told)
}
