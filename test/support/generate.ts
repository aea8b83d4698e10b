import fc from 'fast-check'
import type { Format } from '../../src/core/model.ts'
import { anthropicDialect } from './generate/anthropic.ts'
import { type DamageName, damageAll, damageNames } from './generate/damage.ts'
import type { Dialect, NextId } from './generate/dialect.ts'
import { type Draw, drawFrom } from './generate/draw.ts'
import { openaiDialect } from './generate/openai.ts'
import type { TextSizes } from './generate/texts.ts'
import { type ToolUse, toolUses } from './generate/tool-use.ts'
import type { Native, NativeRequest } from './native.ts'

/** A made-up conversation. */
export interface GeneratedConversation {
  readonly format: Format
  readonly request: NativeRequest & Native
  /** What was done to it, in order; empty for a history that the provider accepts. */
  readonly damages: readonly DamageName[]
}

/** What to generate; each field has a default. */
export interface GeneratorOptions {
  /** Both formats where it is left out. */
  readonly format?: Format
  /** `legal`: the provider accepts the history. `damaged`: one to three things happened to one. Default: legal. */
  readonly mode?: 'legal' | 'damaged'
  /** Most steps after the task; one gives two to six messages. Default 10. */
  readonly maxSteps?: number
  /** Longest speech, in UTF-16 units. Default 1,200. */
  readonly speech?: number
  /** Longest result, in UTF-16 units. Default 8,000. */
  readonly result?: number
}

/** Number of runs of a law: `TAMP_LAW_RUNS`, else 300. fast-check prints the seed of a failure. */
export const lawRuns = Number(process.env.TAMP_LAW_RUNS ?? 300)

/**
 * How a law runs. The seed is fixed, so that a run says the same of the same code; other seeds come by
 * `TAMP_LAW_SEED`, and fast-check prints the one of a failure.
 */
export const lawParameters = {
  numRuns: lawRuns,
  seed: Number(process.env.TAMP_LAW_SEED ?? 20_261_201),
}

/** Deadline of a law in milliseconds: room for as many runs as are asked for. */
export const lawTimeoutMs = 60_000 + 200 * lawRuns

/** The kinds of steps, those that are frequent several times. */
export const stepKinds = [
  ...['turn', 'turn', 'turn', 'reads', 'reads', 'reads', 'commands', 'commands', 'writes'],
  ...['searches', 'failures', 'failures', 'refusals', 'media', 'hosted', 'odd', 'system', 'again'],
  ...['empty', 'replies'],
] as const
export type StepKind = (typeof stepKinds)[number]

const seedArbitrary = fc.nat(0x7fffffff)
const stepArbitrary = fc.tuple(fc.constantFrom(...stepKinds), seedArbitrary)
const damageArbitrary = fc.tuple(fc.constantFrom(...damageNames), seedArbitrary)

/** Made-up conversations. They shrink to fewer steps with the plainest content. */
export function conversations(options: GeneratorOptions = {}): fc.Arbitrary<GeneratedConversation> {
  const { format, mode = 'legal', maxSteps = 10, speech = 1200, result = 8000 } = options
  const formats: readonly Format[] =
    format === undefined ? ['openai-chat', 'anthropic-messages'] : [format]
  const isDamaged = mode === 'damaged'
  return fc
    .tuple(
      fc.constantFrom(...formats),
      seedArbitrary,
      fc.array(stepArbitrary, { maxLength: maxSteps, size: 'max' }),
      fc.array(damageArbitrary, { minLength: isDamaged ? 1 : 0, maxLength: isDamaged ? 3 : 0 }),
    )
    .map(([chosen, seed, steps, done]) =>
      build({ format: chosen, seed, steps, done, sizes: { speech, result } }),
    )
}

interface Plan {
  readonly format: Format
  readonly seed: number
  readonly steps: readonly (readonly [StepKind, number])[]
  readonly done: readonly (readonly [DamageName, number])[]
  readonly sizes: TextSizes
}

function build({ format, seed, steps, done, sizes }: Plan): GeneratedConversation {
  const draw = drawFrom(seed)
  const dialect = format === 'openai-chat' ? openaiDialect : anthropicDialect(draw.chance(35))
  let ids = 0
  const nextId: NextId = (prefix) => `${prefix}_${++ids}`
  const legal = [
    ...dialect.ask(draw, sizes),
    ...steps.flatMap(([kind, stepSeed]) =>
      writeStep(kind, drawFrom(stepSeed), { dialect, sizes, nextId }),
    ),
    ...writeTail(draw, { dialect, sizes, nextId }),
  ]
  const messages = damageAll(legal, done, format)
  return {
    format,
    request: dialect.frame(draw, sizes, messages),
    damages: done.map(([name]) => name),
  }
}

/** What a step is written with. */
export interface Pen {
  readonly dialect: Dialect
  readonly sizes: TextSizes
  readonly nextId: NextId
}

/** The messages of one step. */
export function writeStep(kind: StepKind, draw: Draw, { dialect, sizes, nextId }: Pen): Native[] {
  switch (kind) {
    case 'turn':
      return [...dialect.reply(draw, sizes), ...dialect.ask(draw, sizes)]
    case 'again':
      return dialect.ask(draw, sizes)
    case 'replies':
      return [
        ...dialect.reply(draw, sizes),
        ...dialect.reply(draw, sizes),
        ...dialect.ask(draw, sizes),
      ]
    case 'media':
    case 'system':
    case 'odd':
      return dialect[kind](draw, sizes)
    case 'hosted':
    case 'empty':
      return dialect[kind](draw, sizes, nextId)
    default:
      return dialect.use(usesOf(kind, draw, sizes), draw, sizes, nextId)
  }
}

function usesOf(kind: keyof typeof toolUses, draw: Draw, sizes: TextSizes): ToolUse[] {
  const count = draw.chance(35) ? 2 + draw.below(3) : 1
  return Array.from({ length: count }, () => toolUses[kind](draw, sizes))
}

/** How the history ends: mostly on the user's side, at times with an answer or with calls about to run. */
function writeTail(draw: Draw, { dialect, sizes, nextId }: Pen): Native[] {
  if (draw.chance(6)) return dialect.open(usesOf('commands', draw, sizes), draw, sizes, nextId)
  if (draw.chance(4)) return dialect.reply(draw, sizes)
  return draw.chance(50) ? [...dialect.reply(draw, sizes), ...dialect.ask(draw, sizes)] : []
}
