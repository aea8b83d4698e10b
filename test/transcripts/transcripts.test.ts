import { afterAll, describe, expect, it } from 'vitest'
import { countRequest } from '../support/count.ts'
import { isRealUserMessage, type Native, spokenTexts } from '../support/native.ts'
import { thinkingChanges } from '../support/oracle/thinking.ts'
import { newlyBroken, refusals } from '../support/oracle.ts'
import { hasShared } from '../support/shared-data.ts'
import { readTranscripts, type Transcript } from '../support/transcripts.ts'
import { fitTranscript, type Outcome } from './outcome.ts'

const limits = [4_000, 16_000, 64_000]
/** One fit of the longest session takes seconds on a slow machine, and each row makes four. */
const timeoutMs = 120_000

type Fitted = Extract<Outcome, { type: 'fitted' }>

describe.skipIf(!hasShared('data/transcripts'))('recorded conversations', () => {
  const transcripts = readTranscripts()
  const tally = new Map<string, number>()
  const rows = transcripts.flatMap((transcript) =>
    limits.map((limitTokens) => [transcript.name, limitTokens, transcript] as const),
  )

  it('are 108', () => {
    expect(transcripts).toHaveLength(108)
  })

  it.each(rows)(
    '%s at %i tokens',
    async (_name, limitTokens, transcript) => {
      const before = structuredClone(transcript.request)
      const outcome = await fitTranscript(transcript, limitTokens)
      expect(transcript.request, 'the input is untouched').toEqual(before)
      const again = await fitTranscript({ ...transcript, request: before }, limitTokens)
      expect(withoutTime(again), 'the same input gives the same output').toEqual(
        withoutTime(outcome),
      )
      note(tally, limitTokens, outcome)
      if (outcome.type === 'cannot-fit') {
        expectNumbers(outcome.details, limitTokens)
        return
      }
      expectFitting(transcript, outcome, limitTokens)
      const second = await fitTranscript({ ...transcript, request: outcome.request }, limitTokens)
      if (second.type !== 'fitted') throw new Error('its own output cannot be fitted')
      expect(second.request, 'its own output comes back as it is').toBe(outcome.request)
    },
    timeoutMs,
  )

  afterAll(() => {
    const lines = [...tally].sort().map(([what, times]) => `  ${what}: ${times}`)
    process.stdout.write(`transcripts by limit and outcome\n${lines.join('\n')}\n`)
  })
})

function note(tally: Map<string, number>, limitTokens: number, outcome: Outcome): void {
  const end = outcome.type === 'fitted' ? outcome.report.outcome : outcome.type
  const what = `${String(limitTokens).padStart(6)} ${end}`
  tally.set(what, (tally.get(what) ?? 0) + 1)
}

/** An outcome without what differs from run to run. */
function withoutTime(outcome: Outcome): unknown {
  if (outcome.type === 'cannot-fit') return outcome
  return { ...outcome, report: { ...outcome.report, milliseconds: 0 } }
}

function expectNumbers(details: Native, limitTokens: number): void {
  expect(['overhead', 'newest', 'floor']).toContain(details.cause)
  expect(details.limitTokens).toBe(limitTokens)
  expect(details.neededTokens).toBeGreaterThan(limitTokens)
  // The floor is what no compaction can remove: where it fits, so must the conversation.
  expect(details.floorTokens ?? details.overheadTokens, 'floor').toBeGreaterThan(limitTokens)
}

function expectFitting(
  { format, request }: Transcript,
  { request: output, report }: Fitted,
  limitTokens: number,
): void {
  if (report.outcome === 'unchanged' && refusals(format, request).length === 0) {
    expect(output, 'what fits and is legal is the same object').toBe(request)
  }
  expect(report.outcome, report.reason).not.toBe('failed')
  const [before, after] = [countRequest(request).total, countRequest(output).total]
  expect(after).toBeLessThanOrEqual(limitTokens)
  expect(after).toBeLessThanOrEqual(before)
  expect(newlyBroken(format, request, output)).toEqual([])
  expect(thinkingChanges(request.messages, output.messages)).toEqual([])
  const users = request.messages.filter(isRealUserMessage)
  for (const message of [users[0], users.at(-1)]) {
    if (message === undefined || isShortened(request.messages, message, report)) continue
    expect(missingTexts(message, output.messages), 'kept word for word').toEqual([])
  }
}

/** The spoken texts of a message that no user message of the output holds. */
function missingTexts(message: Native, output: readonly Native[]): string[] {
  const said = output.filter((other) => other.role === 'user').flatMap(spokenTexts)
  return spokenTexts(message).filter((text) => !said.some((other) => other.includes(text)))
}

function isShortened(
  messages: readonly Native[],
  message: Native,
  report: Fitted['report'],
): boolean {
  const leading = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  const seq = messages.indexOf(message) - leading
  return report.shortened.some((shortened) => shortened.seq === seq)
}
