import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { localEngine } from '../../src/entries/local.ts'
import { createTamp, type Fitted, TampError } from '../../src/index.ts'
import { countRequest } from '../support/count.ts'
import {
  conversations,
  type GeneratedConversation,
  lawParameters,
  lawTimeoutMs,
} from '../support/generate.ts'
import { newlyBroken, refusals } from '../support/oracle.ts'

type Request = GeneratedConversation['request']

const tamp = createTamp({ engine: localEngine() })

/** Small enough for many runs; the recorded transcripts are the large ones. */
const sizes = { maxSteps: 7, speech: 300, result: 2500 }

/** A limit as a share of what the request takes: from far below to above it. */
const shares = fc.double({ min: 0.05, max: 1.2, noNaN: true })

async function tryFit(
  { format }: GeneratedConversation,
  request: Request,
  limitTokens: number,
): Promise<Fitted<Request> | TampError> {
  try {
    return await tamp.fit(request, { limitTokens, format })
  } catch (error) {
    if (error instanceof TampError && error.code === 'cannot-fit') return error
    throw error
  }
}

function law(
  name: string,
  mode: 'legal' | 'damaged',
  check: (made: GeneratedConversation, limitTokens: number) => Promise<void>,
): void {
  it(
    name,
    async () => {
      await fc.assert(
        fc.asyncProperty(conversations({ mode, ...sizes }), shares, async (made, share) => {
          await check(made, Math.max(1, Math.ceil(countRequest(made.request).total * share)))
        }),
        lawParameters,
      )
    },
    lawTimeoutMs,
  )
}

const LABEL_TOKENS = 40

/**
 * A running tool loop whose reasoning lost its signature has no legal form while thinking is on: the block is
 * refused with its text and missed without it. No other damage is past repair.
 */
function isMendable({ damages }: GeneratedConversation) {
  const isUnsigned = damages.includes('unsigned-thinking')
  return ({ rule }: { rule: string }) => !(isUnsigned && rule === 'loop-without-thinking')
}

function refusedRules(made: GeneratedConversation, request: Request) {
  return refusals(made.format, request).filter(isMendable(made))
}

async function expectLawful(made: GeneratedConversation, limitTokens: number): Promise<void> {
  const before = structuredClone(made.request)
  const fitted = await tryFit(made, made.request, limitTokens)
  expect(made.request, 'the input is untouched').toEqual(before)
  const again = await tryFit(made, before, limitTokens)
  if (fitted instanceof TampError || again instanceof TampError) {
    expect(again).toEqual(fitted)
    expect(fitted).toMatchObject({ details: { limitTokens } })
    const { floorTokens, overheadTokens } = (fitted as TampError).details as Record<string, number>
    // The floor names the smallest checkpoint; labels around quotes may take a little more.
    const floor = Math.max((floorTokens ?? 0) + LABEL_TOKENS, (overheadTokens ?? 0) + 1)
    expect(floor, 'refused only near the floor').toBeGreaterThan(limitTokens)
    return
  }
  expect(again.request, 'the same input gives the same output').toEqual(fitted.request)
  expect(refusedRules(made, fitted.request), 'the provider accepts it').toEqual([])
  expect(['compacted', 'unchanged'], fitted.report.reason).toContain(fitted.report.outcome)
  expect(countRequest(fitted.request).total, 'within the limit').toBeLessThanOrEqual(limitTokens)
  if (fitted.report.outcome !== 'compacted') return
  expect(
    newlyBroken(made.format, before, fitted.request).filter(isMendable(made)),
    'no common rule is newly broken',
  ).toEqual([])
  // A stand-in for a missing result may add a little; nothing else makes a request grow.
  const isRepaired = fitted.report.repaired.length > 0
  if (!isRepaired) expect(fitted.report.tokensAfter).toBeLessThan(fitted.report.tokensBefore)
  const second = await tryFit(made, fitted.request, limitTokens)
  if (second instanceof TampError) throw second
  expect(second.request, 'its own output comes back as it is').toBe(fitted.request)
}

describe('fitting any conversation', () => {
  law('keeps every law on histories that the provider accepts', 'legal', expectLawful)
  law('keeps every law on damaged histories', 'damaged', expectLawful)

  law('K1 gives back the same object where it fits and is legal', 'legal', async (made) => {
    const limitTokens = countRequest(made.request).total + 10_000
    const fitted = await tryFit(made, made.request, limitTokens)
    if (fitted instanceof TampError) throw fitted
    expect(fitted.request).toBe(made.request)
    expect(fitted.report.outcome).toBe('unchanged')
  })

  law('fits at every limit above one that it fits at', 'damaged', async (made, limitTokens) => {
    const fitted = await tryFit(made, made.request, limitTokens)
    if (fitted instanceof TampError) return
    for (const factor of [1.02, 1.15, 1.5]) {
      const wider = await tryFit(made, made.request, Math.ceil(limitTokens * factor))
      if (wider instanceof TampError) throw wider
    }
  })

  law('never shortens what it does not report', 'legal', async (made, limitTokens) => {
    const fitted = await tryFit(made, made.request, limitTokens)
    if (fitted instanceof TampError) return
    const kept = fitted.request.messages.filter((message) =>
      made.request.messages.includes(message),
    )
    const changed = fitted.request.messages.length - kept.length
    const acts = fitted.report.steps.length + fitted.report.repaired.length
    expect(changed === 0 || acts > 0).toBe(true)
  })
})
