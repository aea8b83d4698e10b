import { expect, test } from 'vitest'
import type { SentRequest } from '../../demo/chat/sent.ts'
import { compactionSentence, compactionView, unchangedReason } from '../../demo/view/compaction.ts'
import { payloadSides } from '../../demo/view/payload.ts'
import { checkpointMessage, report } from './fake-tamp.ts'

const said = (role: string, content: string) => ({ role, content })

const messages = [said('user', 'task'), said('assistant', 'long'), said('user', 'next')]

function sent(
  changes: Parameters<typeof report>[0] = {},
  more: Partial<SentRequest> = {},
): SentRequest {
  const fitted = { model: 'm', messages: [checkpointMessage('short'), said('user', 'next')] }
  const full = { model: 'm', messages }
  return { full, fitted, report: report(changes), historyLength: 3, tailStart: 2, ...more }
}

test('names tokens, messages, source and time', () => {
  const view = compactionView(sent())
  expect(view).toMatchObject({
    before: 2,
    tokens: '9,310 → 4,102 tokens',
    messages: '42 → 9 messages',
    source: 'no summary needed',
    time: '118 ms',
    notes: [],
  })
})

test('tells what was freed, checked, shortened and repaired', () => {
  const summary = {
    source: 'extractive' as const,
    text: 'short',
    tokens: 2,
    replacedTokens: 40,
    checks: [
      { name: 'not-blank', verdict: 'passed' as const, detail: undefined },
      { name: 'identifiers', verdict: 'mended' as const, detail: '2 added' },
    ],
  }
  const view = compactionView(
    sent({
      summary,
      steps: [
        { name: 'squash-large-results', changedParts: 2, freedTokens: 1900 },
        { name: 'thin-old-results', changedParts: 0, freedTokens: 0 },
      ],
      shortened: [{ seq: 4, what: 'paste', tokensBefore: 3000, tokensAfter: 900 }],
      repaired: ['tool-pairs'],
    }),
  )
  expect(view?.source).toBe('extractive summary')
  expect(view?.summary).toBe('short')
  expect(view?.notes).toEqual([
    'squash-large-results: 2 parts, 1,900 tokens freed',
    'Check of the summary, identifiers: mended (2 added)',
    'Shortened as a last resort: paste of message 5, 3,000 → 900 tokens',
    'Repaired on the way out: tool-pairs',
  ])
})

test('stands before the newest user message where no head was folded', () => {
  const full = { messages: [said('system', 's'), ...messages] }
  expect(compactionView(sent({}, { full, tailStart: undefined }))?.before).toBe(2)
})

test('is not there where nothing was compacted', () => {
  expect(compactionView(undefined)).toBeUndefined()
  expect(compactionView(sent({ outcome: 'nothing-to-do' }))).toBeUndefined()
  expect(compactionView(sent({}, { report: undefined }))).toBeUndefined()
})

test('says why a request over the limit was not compacted', () => {
  expect(unchangedReason(sent({ outcome: 'unchanged', reason: 'summary rejected' }))).toBe(
    'summary rejected',
  )
  expect(unchangedReason(sent({ outcome: 'nothing-to-do', tokensBefore: 10 }))).toBeUndefined()
})

test('can be said aloud', () => {
  const view = compactionView(sent())
  expect(view && compactionSentence(view)).toBe(
    'Compacted: 9,310 to 4,102 tokens, 42 to 9 messages.',
  )
})

test('the inspector tells what became of each message', () => {
  const fitted = { model: 'm', messages: [checkpointMessage('task'), said('user', 'next!')] }
  const sides = payloadSides(sent({}, { fitted }))
  expect(sides.sent.counts).toBe('2 messages, 4,102 tokens')
  expect(sides.sent.messages.map((message) => message.fate)).toEqual(['added', 'changed'])
  expect(sides.history.counts).toBe('3 messages, 9,310 tokens')
  expect(sides.history.messages.map((message) => message.fate)).toEqual([
    'joined',
    'folded',
    'changed',
  ])
  expect(sides.history.otherFields).toBe('{\n  "model": "m"\n}')
})
