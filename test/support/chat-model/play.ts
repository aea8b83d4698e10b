import fc from 'fast-check'
import type { Format } from '../../../src/core/model.ts'
import type { LogStore } from '../../../src/storage/log-store.ts'
import { drawFrom } from '../generate/draw.ts'
import { type StepName, steps } from './steps.ts'
import { World } from './world.ts'

/** All that happens in one conversation; as fast-check prints it, it can be handed to `play` again. */
export interface Chat {
  readonly format: Format
  readonly seed: number
  readonly steps: readonly (readonly [StepName, number])[]
}

const often: readonly StepName[] = ['append', 'append', 'append', 'append', 'append', 'settle']
const names: readonly StepName[] = [
  ...often,
  ...often,
  ...(Object.keys(steps) as StepName[]), // the keys of a constant table
  'undo',
  'redo',
  'mend',
  'mend',
]

const seeds = fc.nat(0x7fffffff)

/** Conversations of up to a hundred steps. */
export const chats: fc.Arbitrary<Chat> = fc.record({
  format: fc.constantFrom<Format>('openai-chat', 'anthropic-messages'),
  seed: seeds,
  steps: fc.array(fc.tuple(fc.constantFrom(...names), seeds), { maxLength: 100, size: 'max' }),
})

/** Does the steps one after the other, each checked against the naive model. */
export async function play(store: LogStore, chat: Chat, skip: (ms: number) => void): Promise<void> {
  const world = new World(store, chat, skip)
  try {
    for (const [name, seed] of [...chat.steps, ['mend', 0] as const]) {
      const draw = drawFrom(seed)
      const tab = draw.pick(world.tabs)
      await steps[name](world, tab, draw)
    }
  } finally {
    await world.end()
  }
}
