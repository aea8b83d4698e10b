import { expect } from 'vitest'
import { TampError, type Turn } from '../../../src/index.ts'
import type { Native, NativeRequest } from '../native.ts'
import { refusals } from '../oracle.ts'
import { type Came, checkTurn } from './checks.ts'
import { AppBug } from './summarizer.ts'
import { ROOT } from './tree.ts'
import type { Tab, World } from './world.ts'

type Request = Native & NativeRequest

/** Sends what a tab's app holds. Gives back the turn; `undefined` where it was refused by name. */
export async function send(world: World, tab: Tab): Promise<Came | undefined> {
  const request = world.requestOf(tab)
  const before = JSON.stringify(request)
  const path = arrive(world, tab)
  const turn = await orRefused(() => tab.conversation.prepare(request, { format: world.format }))
  expect(JSON.stringify(request), 'the input is untouched').toBe(before)
  if (!turn) return undefined
  const came = { path, request, turn }
  await checkTurn(world, tab, came)
  return came
}

/** What a tab sends is stored and ends the active path, whatever comes of the request. */
export function arrive(world: World, tab: Tab): readonly number[] {
  const path = world.place(tab)
  world.moveTo(path.at(-1) ?? ROOT)
  return path
}

/** What `prepare` and `compact` may be refused with. */
export async function orRefused<T>(run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof AppBug) return undefined
    if (!(error instanceof TampError) || error.code !== 'cannot-fit') throw error
    expect(error.details).toMatchObject({ cause: expect.stringMatching(/overhead|newest|floor/u) })
    return undefined
  }
}

/** Lengths to which a tab's own messages can be cut so that the provider takes the rest. */
export function cutsOf(world: World, { history, echo }: Tab): number[] {
  const lengths = history.map((_, index) => index + 1)
  return lengths.filter((length) => {
    const last = history[length - 1]
    if (length <= echo.count || !['user', 'tool'].includes(String(last?.role))) return false
    const messages = [...world.writing.head.messages, ...history.slice(0, length)]
    return refusals(world.format, { ...world.writing.head, messages }).length === 0
  })
}

/** The turns of two requests at once, each refused or not. */
export async function sendTwice(
  world: World,
  tabs: readonly Tab[],
): Promise<readonly (Turn<Request> | undefined)[]> {
  return Promise.all(
    tabs.map((tab) =>
      orRefused(() => tab.conversation.prepare(world.requestOf(tab), { format: world.format })),
    ),
  )
}
