import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adapterFor } from '../../src/adapters/index.ts'
import { readRequest } from '../../src/adapters/read-request.ts'
import type { Due } from '../../src/core/budget.ts'
import { repairOnly } from '../../src/core/compaction.ts'
import { applyEdits, type Edit } from '../../src/core/edit.ts'
import { taskPosition, unansweredUserPositions } from '../../src/core/exchange.ts'
import { escapeMarks } from '../../src/core/marker.ts'
import { textOf } from '../../src/core/model.ts'
import { originalOf } from '../../src/core/originals.ts'
import { finished } from '../../src/core/sliced.ts'
import { allFoldedUnits, type ModelReply, type ModelRequest } from '../../src/core/summary.ts'
import { defaultRefusalPrefixes, isRefusal } from '../../src/core/tools.ts'
import { defaultInvariants } from '../../src/invariants/index.ts'
import {
  type Compacted,
  type CompactionRun,
  compact,
  type Kept,
  nothingKept,
  projected,
} from '../support/compactions.ts'
import { countRequest } from '../support/count.ts'
import {
  conversations,
  type GeneratedConversation,
  lawParameters,
  lawTimeoutMs,
} from '../support/generate.ts'
import type { Native, NativeRequest } from '../support/native.ts'
import { newlyBroken, refusals } from '../support/oracle.ts'
import { textsOfRequest } from '../support/texts.ts'

type Request = NativeRequest & Native

/** A chat that is compacted as it grows, at equal distances: for what, and with what room. */
interface Growth {
  readonly made: GeneratedConversation
  readonly stages: readonly Stage[]
}

interface Stage {
  /** What the messages may take, in hundredths of what they would take. */
  readonly percent: number
  readonly due: Due
  readonly hasModel: boolean
}

const stages: fc.Arbitrary<Stage> = fc.record({
  percent: fc.integer({ min: 20, max: 120 }),
  due: fc.constantFrom<Due>('hard', 'hard', 'hard', 'soft', 'forced', 'overflow'),
  hasModel: fc.boolean(),
})

const growths = (mode: 'legal' | 'damaged'): fc.Arbitrary<Growth> =>
  fc.record({
    made: conversations({ mode, maxSteps: 20, speech: 500, result: 2500 }),
    stages: fc.array(stages, { minLength: 2, maxLength: 4 }),
  })

/** Summaries of what it was given: a few first words of each line. */
function model(ask: ModelRequest): ModelReply {
  const lines = ask.prompt.split('\n').filter((line) => line.startsWith('['))
  const text = lines.map((line) => line.split(' ').slice(0, 6).join(' ')).join('\n')
  return {
    type: 'text',
    text: `## Task\n${text}`.slice(0, 2 * ask.maxTokens),
    finish: undefined,
  }
}

/** The messages at the start of a history that may be sent at that time: nothing is cut out of a batch of calls. */
function startOf({ made }: Growth, share: number): Request {
  const { request, format } = made
  const { messages } = request
  for (let end = Math.max(1, Math.ceil(share * messages.length)); end < messages.length; end++) {
    const part = { ...request, messages: messages.slice(0, end) }
    if (refusals(format, part).length === 0 && endsWithUser(part)) return part
  }
  return request
}

function endsWithUser({ messages }: Request): boolean {
  return ['user', 'tool'].includes(String(messages.at(-1)?.role))
}

interface Moment {
  readonly stage: Stage
  readonly history: Request
  readonly limitTokens: number
  readonly before: Kept
  /** What would be sent without the compaction. */
  readonly sent: Request
  readonly run: CompactionRun
  readonly result: Compacted
}

/** Everything that happens to a chat as it grows. */
function live(growth: Growth): readonly Moment[] {
  const { format } = growth.made
  const moments: Moment[] = []
  let kept = nothingKept
  for (const [index, stage] of growth.stages.entries()) {
    const history = startOf(growth, (index + 1) / growth.stages.length)
    const sent = projected(format, history, kept)
    const { messages, total } = countRequest(sent)
    const limitTokens = Math.ceil(total - messages + (messages * stage.percent) / 100)
    const run = { limitTokens, due: stage.due, ...(stage.hasModel ? { reply: model } : {}) }
    const result = compact(format, history, kept, run)
    moments.push({ stage, history, limitTokens, before: kept, sent, run, result })
    kept = result.kept
  }
  return moments
}

function law(
  name: string,
  mode: 'legal' | 'damaged',
  check: (moment: Moment, growth: Growth) => void,
): void {
  it(
    name,
    () => {
      fc.assert(
        fc.property(growths(mode), (growth) => {
          for (const moment of live(growth)) check(moment, growth)
        }),
        lawParameters,
      )
    },
    lawTimeoutMs,
  )
}

const baseOf = ({ made }: Growth, history: Request) =>
  readRequest(adapterFor(history, made.format), history).view

const unsignedIsPastRepair =
  ({ made }: Growth) =>
  ({ rule }: { rule: string }) =>
    !(made.damages.includes('unsigned-thinking') && rule === 'loop-without-thinking')

function expectLegal({ history, sent, limitTokens, stage, result }: Moment, growth: Growth): void {
  const { format } = growth.made
  if (result.type !== 'done') return
  const next = projected(format, history, result.kept)
  const isMendable = unsignedIsPastRepair(growth)
  expect(refusals(format, next).filter(isMendable), 'the provider accepts it').toEqual([])
  expect(newlyBroken(format, sent, next).filter(isMendable), 'nothing is newly broken').toEqual([])
  if (stage.due === 'hard') {
    expect(countRequest(next).total, 'within the limit').toBeLessThanOrEqual(limitTokens)
  }
}

/** At most one edit of a kind a target, and none inside a removed unit. */
function expectOrderly(edits: readonly Edit[]): void {
  const removed = new Set(
    edits.flatMap((edit) => (edit.type === 'remove' && edit.part === undefined ? edit.seq : [])),
  )
  const moved = new Set(
    edits.flatMap((edit) => (edit.type === 'move' ? `${edit.seq} ${edit.part}` : [])),
  )
  const targets = edits.flatMap((edit) => {
    if (edit.type === 'insert') return []
    const target = `${edit.seq} ${edit.part}`
    const isInside = removed.has(edit.seq) && edit.part !== undefined && !moved.has(target)
    expect(isInside, `an edit of part ${target} of a removed unit`).toBe(false)
    const isText = edit.type === 'rewrite' || edit.type === 'remove'
    return [`${isText ? 'text' : edit.type} ${target}`]
  })
  expect(new Set(targets).size, 'one edit a target').toBe(targets.length)
  const checkpoints = edits.filter((edit) => edit.type === 'insert' && edit.pass === 'replace')
  expect(checkpoints.length, 'one checkpoint').toBeLessThanOrEqual(1)
}

/** What was sent is in what is sent next, or in what the checkpoint was made from. */
function expectNothingVanishes({ history, before, result }: Moment, growth: Growth): void {
  const base = baseOf(growth, history)
  const [was, now] = [before, result.kept].map((kept) => applyEdits(base, kept.edits))
  const folded = new Set(
    result.folds.flatMap((fold) => allFoldedUnits(fold).map((unit) => unit.seq)),
  )
  const there = new Set(now?.units.map((unit) => unit.seq))
  const repaired = new Set(
    result.kept.edits.flatMap((edit) => ('seq' in edit && edit.pass !== 'replace' ? edit.seq : [])),
  )
  const lost = was?.units.filter(
    ({ seq }) => seq >= 0 && !there.has(seq) && !folded.has(seq) && !repaired.has(seq),
  )
  expect(lost, 'lost messages').toEqual([])
}

function expectAllFoldedIsRead({ history, result }: Moment, growth: Growth): void {
  const fold = result.folds.at(-1)
  const isFolded = result.step?.type === 'done' && result.step.state.summary !== undefined
  if (!isFolded || !fold) return
  const gone = result.kept.edits.flatMap((edit) =>
    edit.type === 'remove' && edit.part === undefined && edit.pass === 'replace' ? edit.seq : [],
  )
  const read = allFoldedUnits(fold).map((unit) => unit.seq)
  expect([...read].sort((a, b) => a - b)).toEqual([...gone].sort((a, b) => a - b))
  const originals = baseOf(growth, history).originals
  for (const { seq, parts } of fold.earlier?.units ?? []) {
    expect(parts.map((part) => part.was ?? part)).toEqual(originalOf(originals, seq)?.parts)
  }
}

/** Task, newest requests and refusals stand in what is sent, wherever it is: word for word where nothing was cut. */
function expectQuoted({ history, result }: Moment, growth: Growth): void {
  const base = baseOf(growth, history)
  const texts = textsOfRequest(projected(growth.made.format, history, result.kept)).join('\n')
  const users = [taskPosition(base), ...unansweredUserPositions(base)]
  const words = users.flatMap((position) => base.units[position]?.parts ?? [])
  const refused = base.units
    .flatMap((unit) => unit.parts)
    .filter((part) => part.type === 'tool-result' && isRefusal(part.text, defaultRefusalPrefixes))
  const rewritten = new Set(
    result.kept.edits.flatMap((edit) =>
      edit.type === 'rewrite' || edit.type === 'remove' ? `${edit.seq} ${edit.part}` : [],
    ),
  )
  for (const part of [...words.filter(({ type }) => type === 'text'), ...refused]) {
    if (rewritten.has(`${part.seq} ${part.index}`)) continue
    const [text, escaped] = [textOf(part).trim(), escapeMarks(textOf(part).trim())]
    expect(texts.includes(text) || texts.includes(escaped), text).toBe(true)
  }
}

function expectContinued({ history, result }: Moment, growth: Growth): void {
  const { format, request } = growth.made
  if (result.kept.edits.length === 0) return
  const now = projected(format, history, result.kept)
  const later = projected(format, request, result.kept)
  const start = later.messages.slice(0, now.messages.length)
  expect(JSON.stringify(start), 'a later request continues it').toBe(JSON.stringify(now.messages))
}

function expectOneSet({ result }: Moment): void {
  expectOrderly(result.kept.edits)
  expect(structuredClone(result.kept.edits)).toEqual(result.kept.edits)
}

function expectSameAgain({ history, before, run, result }: Moment, { made }: Growth): void {
  const again = compact(made.format, history, before, run)
  expect(again.kept, 'the same input gives the same edits').toEqual(result.kept)
  expect(again.reason).toBe(result.reason)
}

function expectIdle({ history, result }: Moment, growth: Growth): void {
  const { edits } = result.kept
  const base = baseOf(growth, history)
  const once = finished(repairOnly(base, edits, defaultInvariants))
  expect(finished(repairOnly(base, once.edits, defaultInvariants)).edits, 'mended once').toBe(
    once.edits,
  )
  if (result.type !== 'done') return
  const roomy = compact(growth.made.format, history, result.kept, { limitTokens: 1_000_000 })
  expect(roomy.kept.edits, 'nothing is due').toEqual(edits)
}

describe('compacting a chat again and again', () => {
  for (const mode of ['legal', 'damaged'] as const) {
    law(`leaves one legal request within the limit (${mode})`, mode, (moment, growth) => {
      expectLegal(moment, growth)
      expectOneSet(moment)
    })

    law(`K3 loses no message between two requests (${mode})`, mode, expectNothingVanishes)

    law(`continues, repeats and idles byte for byte (${mode})`, mode, (moment, growth) => {
      expectContinued(moment, growth)
      expectSameAgain(moment, growth)
      expectIdle(moment, growth)
    })
  }

  law(
    'M7 M20 reads all that was folded again, and quotes what it must',
    'legal',
    (moment, growth) => {
      expectAllFoldedIsRead(moment, growth)
      expectQuoted(moment, growth)
    },
  )
})
