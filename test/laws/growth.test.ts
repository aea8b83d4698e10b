import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adapterFor } from '../../src/adapters/index.ts'
import { readRequest } from '../../src/adapters/read-request.ts'
import type { CompactionSetup } from '../../src/core/compaction-state.ts'
import type { Unit } from '../../src/core/model.ts'
import { finished } from '../../src/core/sliced.ts'
import { grownStandpoint, type Standpoint, standpointOf } from '../../src/core/standpoint.ts'
import { assemblyOf, type Written, written } from '../../src/engine/assembly.ts'
import { compact, type Kept, nothingKept, standingSetup } from '../support/compactions.ts'
import { countRequest } from '../support/count.ts'
import {
  conversations,
  type GeneratedConversation,
  lawParameters,
  lawTimeoutMs,
} from '../support/generate.ts'

/** What happens to a chat between two requests. */
interface Happening {
  /** Messages that come; below zero the app takes some of the newest away. */
  readonly come: number
  /** How far from the end a message is another object than before, with a moved cache mark; 0 for none. */
  readonly again: number
}

interface Life {
  readonly made: GeneratedConversation
  readonly happenings: readonly Happening[]
  /** Where it was compacted, in hundredths of its length; `undefined` for never. */
  readonly compactedAt: number | undefined
}

const lives = (mode: 'legal' | 'damaged'): fc.Arbitrary<Life> =>
  fc.record({
    made: conversations({ mode, maxSteps: 14, speech: 300, result: 900 }),
    happenings: fc.array(
      fc.record({
        come: fc.constantFrom(1, 1, 1, 2, 2, 3, 5, -1, -2),
        again: fc.constantFrom(0, 0, 0, 1, 2, 3),
      }),
      { minLength: 4, maxLength: 14, size: 'max' },
    ),
    compactedAt: fc.option(fc.integer({ min: 20, max: 70 }), { nil: undefined }),
  })

/** What stands once the start of the chat was compacted. */
function keptOf({ made, compactedAt }: Life): Kept {
  if (compactedAt === undefined) return nothingKept
  const { format, request } = made
  const length = Math.ceil((request.messages.length * compactedAt) / 100)
  const start = { ...request, messages: request.messages.slice(0, length) }
  const { total } = countRequest(start)
  return compact(format, start, nothingKept, { limitTokens: Math.ceil(total * 0.6) }).kept
}

/** The histories of a life, one a request. The units of one are those of the one before, as in a conversation. */
function historiesOf({ made, happenings }: Life, from: number): readonly (readonly Unit[])[] {
  const { format, request } = made
  const { units } = readRequest(adapterFor(request, format), request).view
  let length = Math.max(from, 2)
  let now = [...units]
  return happenings.map(({ come, again }) => {
    length = Math.max(from, 1, Math.min(units.length, length + come))
    const renewed = now[length - again]
    if (again > 0 && renewed && length - again >= from) {
      now = now.map((unit) => (unit === renewed ? marked(unit) : unit))
    }
    return now.slice(0, length)
  })
}

/** The same message once more, its last part with the cache mark that it had not, or the other way round. */
function marked(unit: Unit): Unit {
  const last = unit.parts.length - 1
  const parts = unit.parts.map((part, index) =>
    index === last ? { ...part, cacheMark: part.cacheMark !== true } : part,
  )
  return { ...unit, parts }
}

interface Request {
  readonly setup: CompactionSetup
  readonly grown: Standpoint | undefined
  readonly whole: Standpoint
  readonly outGrown: Written
  readonly outWhole: Written
}

function requestsOf(life: Life): readonly Request[] {
  const { format, request } = life.made
  const kept = keptOf(life)
  let before: Standpoint | undefined
  let sent: Written | undefined
  return historiesOf(life, kept.depth).map((units) => {
    const setup = standingSetup(format, request, kept, units)
    const whole = finished(standpointOf(setup))
    const grown = before && grownStandpoint(setup, before)
    before = grown ?? whole
    const input = {
      adapter: adapterFor(request, format),
      view: before.sent.view,
      came: units.map((unit) => unit.native as object), // read from objects
      indexOf: ({ seq }: Unit) => seq,
    }
    const outWhole = written({ ...input, view: whole.sent.view })
    const outGrown = written(input, sent)
    sent = outGrown
    return { setup, grown, whole, outGrown, outWhole }
  })
}

function law(name: string, mode: 'legal' | 'damaged', check: (request: Request) => void): void {
  it(
    name,
    () => {
      fc.assert(
        fc.property(lives(mode), (life) => {
          for (const request of requestsOf(life)) check(request)
        }),
        lawParameters,
      )
    },
    lawTimeoutMs,
  )
}

const isWholeOrUnknown = ({ grown, whole }: Request) => expect(grown ?? whole).toEqual(whole)

function isWrittenAlike({ outGrown, outWhole }: Request): void {
  const { kept: _, units: __, came: ___, ...rest } = outGrown
  expect(rest).toEqual({
    starts: outWhole.starts,
    messages: outWhole.messages,
    items: outWhole.items,
  })
  expect(assemblyOf(outGrown)).toEqual(assemblyOf(outWhole))
}

describe('where a history stands, derived from where it stood', () => {
  law('is what the whole of a legal history says', 'legal', isWholeOrUnknown)
  law('is what the whole of a damaged history says', 'damaged', isWholeOrUnknown)
  law('is written as the whole of a legal history', 'legal', isWrittenAlike)
  law('is written as the whole of a damaged history', 'damaged', isWrittenAlike)

  it('is derived for most requests of a legal history', () => {
    const counts = { derived: 0, all: 0 }
    fc.assert(
      fc.property(lives('legal'), (life) => {
        for (const { grown } of requestsOf(life).slice(1)) {
          counts.all++
          if (grown) counts.derived++
        }
      }),
      { ...lawParameters, numRuns: 50 },
    )
    expect(counts.derived / counts.all).toBeGreaterThan(0.5)
  })
})
