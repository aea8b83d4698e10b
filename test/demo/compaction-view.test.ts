import type { CompactionRecord } from 'tamp'
import { describe, expect, test } from 'vitest'
import type { PathMessage } from '../../demo/chat/path.ts'
import type { SentRequest } from '../../demo/chat/sent.ts'
import {
  compactionSentence,
  compactionViews,
  fittedView,
  unchangedReason,
} from '../../demo/view/compaction.ts'
import { fatesIn, payloadSides } from '../../demo/view/payload.ts'
import { stepWords } from '../../demo/view/steps.ts'
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

/** A path of stored messages with these names. */
function pathThrough(...seqs: readonly number[]): readonly PathMessage[] {
  const native = said('user', 'word')
  return seqs.map((seq) => ({ native, seq, interrupted: false, branches: [seq] }))
}

function record(epoch: number, changes: Partial<CompactionRecord> = {}): CompactionRecord {
  const places = { through: 1, foldedThrough: undefined, at: 0 }
  const state = { active: false, undone: false, ...places }
  return { epoch, trigger: 'threshold', report: report(), ...state, ...changes }
}

describe('the dividers of a path', () => {
  const path = pathThrough(0, 1, 2)

  test('stand behind the deepest message that the newest compaction covers', () => {
    const compactions = [record(1, { through: 0 }), record(2, { active: true })]
    const views = compactionViews({ path, compactions, canRedo: false })
    expect(views).toMatchObject([{ key: 'compaction-2', before: 2, action: 'undo' }])
    expect(views[0]?.cause).toBe('as the window filled')
  })

  test('stand behind what the checkpoint stands for, where the compaction rests on more', () => {
    const compactions = [record(1, { active: true, foldedThrough: 0 })]
    expect(compactionViews({ path, compactions, canRedo: false })[0]?.before).toBe(1)
  })

  test('show beside it what was undone last, for bringing it back', () => {
    const compactions = [
      record(1, { active: true, through: 0 }),
      record(2, { undone: true }),
      record(3, { undone: true, through: 2 }),
    ]
    const views = compactionViews({ path, compactions, canRedo: true })
    expect(views).toMatchObject([
      { key: 'compaction-1', action: 'undo' },
      { key: 'compaction-2', action: 'redo' },
    ])
    expect(compactionViews({ path, compactions, canRedo: false })).toHaveLength(1)
  })

  test('are not there on a branch that the compaction does not hold on', () => {
    const compactions = [record(1, { through: 7 })]
    expect(compactionViews({ path, compactions, canRedo: true })).toEqual([])
  })

  test('cannot be undone from a branch that is only looked at', () => {
    const [view] = compactionViews({
      path,
      compactions: [record(1)],
      canRedo: false,
    })
    expect(view?.action).toBeUndefined()
  })
})

test('names tokens, messages, source and time', () => {
  const view = fittedView(sent())
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
  const view = fittedView(
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
  expect(view?.source).toBe('summary without a model')
  expect(view?.summary).toBe('short')
  expect(view?.notes).toEqual([
    'shortened 2 large tool results, 1,900 tokens freed',
    'Check of the summary, identifiers: mended (2 added)',
    'Shortened as a last resort: paste of message 5, 3,000 → 900 tokens',
    'Repaired on the way out: tool-pairs',
  ])
})

test.each([
  ['replace', 25, 'folded 25 messages into the checkpoint, 7 tokens freed'],
  ['last-rung: paste', 1, 'shortened the longest paste of a message, 7 tokens freed'],
  ['drop-stale-media', 2, 'left out 2 old images or files, 7 tokens freed'],
  ['a-step-to-come', 1, 'a-step-to-come: 1 part, 7 tokens freed'],
])('says what %s did', (name, changedParts, words) => {
  expect(stepWords({ name, changedParts, freedTokens: 7 })).toBe(words)
})

test('stands before the newest user message where no head was folded', () => {
  const full = { messages: [said('system', 's'), ...messages] }
  expect(fittedView(sent({}, { full, tailStart: undefined }))?.before).toBe(2)
})

test('is not there where nothing was compacted', () => {
  expect(fittedView(undefined)).toBeUndefined()
  expect(fittedView(sent({ outcome: 'nothing-to-do' }))).toBeUndefined()
})

test('says why a request over the limit was not compacted', () => {
  expect(unchangedReason(sent({ outcome: 'unchanged', reason: 'summary rejected' }))).toBe(
    'summary rejected',
  )
  expect(unchangedReason(sent({ outcome: 'nothing-to-do', tokensBefore: 10 }))).toBeUndefined()
})

test('can be said aloud', () => {
  expect(compactionSentence(sent())).toBe('Compacted: 9,310 to 4,102 tokens, 42 to 9 messages.')
  expect(compactionSentence(sent({ outcome: 'nothing-to-do' }))).toBeUndefined()
})

test('the inspector tells what became of each message', () => {
  const fitted = { model: 'm', messages: [checkpointMessage('task'), said('user', 'next!')] }
  const sides = payloadSides(sent({}, { fitted }), 12_345)
  expect(sides.sent.counts).toBe('2 messages, 4,102 tokens')
  expect(sides.sent.messages.map((message) => message.fate)).toEqual(['added', 'changed'])
  expect(sides.history.counts).toBe('3 messages, 12,345 tokens')
  expect(sides.history.messages.map((message) => message.fate)).toEqual([
    'joined',
    'folded',
    'changed',
  ])
  expect(fatesIn(sides)).toEqual(['changed', 'joined', 'folded', 'added'])
  expect(payloadSides(sent(), undefined).history.counts).toBe('3 messages')
  expect(sides.history.otherFields).toBe('{\n  "model": "m"\n}')
})
