import { describe, expect, it } from 'vitest'
import { CHECKPOINT_END, CHECKPOINT_START } from '../../src/index.ts'
import { anthropic, openai } from '../support/build.ts'
import {
  type CompactionRun,
  compact,
  type Kept,
  nothingKept,
  projected,
} from '../support/compactions.ts'
import { countRequest } from '../support/count.ts'
import type { Native } from '../support/native.ts'
import { occurrences, textsOfRequest } from '../support/texts.ts'

const { user, assistant, calls, result } = openai

const answer = (n: number) =>
  assistant(`Answer ${n}: relay number ${n} was checked and nothing was found there. `.repeat(4))
const question = (n: number) => user(`Question ${n}: and relay ${n}?`)

/** Turns `from` up to, not including, `to`. */
function turns(from: number, to: number): Native[] {
  return Array.from({ length: to - from }, (_, n) => [answer(from + n), question(from + n)]).flat()
}

const task = user('Find the broken relay.')
const FIRST = 'FIRST-SUMMARY: relays were checked one after the other and none of them was broken.'
const SECOND = 'SECOND-SUMMARY: more relays were checked, and still none of them was broken.'
const noPasses = {
  'squash-large-results': false,
  'thin-old-results': false,
  'drop-stale-media': false,
} as const

const says =
  (text: string): NonNullable<CompactionRun['reply']> =>
  () => ({ type: 'text', text, finish: undefined })

function run(messages: Native[], kept: Kept, limitTokens: number, more: Partial<CompactionRun>) {
  const format = 'openai-chat'
  const done = compact(format, { messages }, kept, { limitTokens, passes: noPasses, ...more })
  const request = projected(format, { messages }, done.kept)
  return { ...done, request, text: textsOfRequest(request).join('\n') }
}

/** Messages that have left, by their place in the history. */
function removedBy({ edits }: Kept): number[] {
  return edits.flatMap((edit) => (edit.type === 'remove' ? edit.seq : []))
}

/** A chat that was compacted with its first summary, and twice as long since. */
function twice(more: Partial<CompactionRun> = { reply: says(SECOND) }) {
  const early = [task, ...turns(0, 20)]
  const first = run(early, nothingKept, 1100, { reply: says(FIRST) })
  const all = [...early, ...turns(20, 40)]
  const second = run(all, first.kept, 1100, more)
  return { early, first, all, second }
}

describe('a second compaction', () => {
  it('K3 shows the earlier checkpoint in its own fence and only what leaves now', () => {
    const { first, second, all } = twice()
    const [ask] = second.asked
    expect(second.asked).toHaveLength(1)
    const [recording = '', rest = ''] = (ask?.prompt ?? '').split('<earlier-checkpoint>')
    const [earlier = '', instruction = ''] = rest.split('</earlier-checkpoint>')
    expect(earlier).toContain(FIRST)
    expect(recording).not.toContain(FIRST)
    expect(instruction).toContain('carry on whatever of it still matters')
    const leftBefore = removedBy(first.kept)
    const now = removedBy(second.kept).filter((seq) => !leftBefore.includes(seq))
    expect(now.length).toBeGreaterThan(20)
    for (const seq of now) expect(recording).toContain(String(all[seq]?.content))
    for (const seq of leftBefore) expect(ask?.prompt).not.toContain(String(all[seq]?.content))
  })

  it('K12 M3 M4 leaves one checkpoint after the task, and nothing of the earlier one', () => {
    const { second } = twice()
    const head = String(second.request.messages[0]?.content)
    expect(head.startsWith('Find the broken relay.\n\n')).toBe(true)
    expect(occurrences(second.text, CHECKPOINT_START)).toBe(1)
    expect(occurrences(second.text, CHECKPOINT_END)).toBe(1)
    expect(second.text).toContain(SECOND)
    expect(second.text).not.toContain(FIRST)
  })

  it('M2 keeps the newest steps without a gap, as they came', () => {
    const { second, all } = twice()
    const tail = second.request.messages.slice(1)
    expect(tail.length).toBeGreaterThan(2)
    expect(tail).toEqual(all.slice(-tail.length))
    expect(countRequest(second.request).total).toBeLessThanOrEqual(1100)
  })

  it('K13 measures a summary against the earlier checkpoint too', () => {
    const { second } = twice()
    const fold = second.folds.at(-1)
    const leaving = countRequest({
      messages: (fold?.units ?? []).map(({ native }) => native as Native),
    })
    expect(fold?.foldedTokens).toBeGreaterThan(leaving.messages)
  })

  it('Z11 reads all that was ever folded again where no model writes', () => {
    const { first, second, all } = twice({})
    const fold = second.folds.at(-1)
    expect(fold?.earlier?.text).toContain(FIRST)
    const before = removedBy(first.kept)
    expect(fold?.earlier?.units.map(({ native }) => native)).toEqual(before.map((seq) => all[seq]))
    expect(second.text).toMatch(/\[\d+ of \d+ lines of \d+ messages\]/)
    expect(second.text).not.toContain(FIRST)
  })

  it('K4 leaves what stood where the summary failed', () => {
    const { first, second } = twice({ reply: says(' '), fallback: 'none' })
    expect(second).toMatchObject({ outcome: 'failed', reason: 'the summary is blank' })
    expect(second.kept).toBe(first.kept)
  })

  it('makes an earlier checkpoint smaller alone where nothing else can leave', () => {
    const long = `FIRST-SUMMARY ${'of the relays that were checked, '.repeat(40)}`
    const early = [task, ...turns(0, 40), assistant('Done.'), user('Which one?')]
    const first = run(early, nothingKept, 3000, { reply: says(long) })
    const again = run(early, first.kept, 260, { reply: says(SECOND) })
    expect(again.text).toContain(SECOND)
    const smaller = run(early, again.kept, 180, {})
    expect(smaller.type).toBe('done')
    expect(countRequest(smaller.request).total).toBeLessThanOrEqual(180)
  })

  it('folds a history without a task a second time', () => {
    const early = turns(0, 20).filter(({ role }) => role === 'assistant')
    const first = run(early, nothingKept, 900, { reply: says(FIRST) })
    expect(first.request.messages[0]?.role).toBe('user')
    const later = turns(20, 40).filter(({ role }) => role === 'assistant')
    const second = run([...early, ...later], first.kept, 900, { reply: says(SECOND) })
    expect(second.request.messages[0]?.role).toBe('user')
    expect(second.text).toContain(SECOND)
    expect(second.text).not.toContain(FIRST)
    const spoken = [...early, ...later, user('And now?'), ...turns(40, 60)]
    const third = run(spoken, second.kept, 900, { reply: says(FIRST) })
    expect(String(third.request.messages[0]?.content).startsWith('And now?\n\n')).toBe(true)
    expect(occurrences(third.text, CHECKPOINT_START)).toBe(1)
    expect(third.text).not.toContain(SECOND)
  })
})

describe('what a second checkpoint quotes', () => {
  const loop = (from: number, to: number): Native[] =>
    Array.from({ length: to - from }, (_, n) => [
      calls([`call_${from + n}`, 'read_page', { url: `https://x.example/${from + n}` }]),
      result(`call_${from + n}`, `page ${from + n} `.repeat(120)),
    ]).flat()
  const words = 'Your test hangs. Add timeouts.'
  const picture = openai.image('data:image/png;base64,AAAA')
  const request = user([{ type: 'text', text: words }, picture])
  const hasPicture = (messages: readonly Native[]) => JSON.stringify(messages).includes('base64')

  it('M20 quotes the newest request again while it is not answered, and no longer then', () => {
    const early = [task, ...loop(0, 4), request, ...loop(4, 12)]
    const first = run(early, nothingKept, 3000, { reply: says(FIRST) })
    expect(first.text).toContain(`[newest requests of the user, word for word]\n${words}`)
    expect(hasPicture(first.request.messages)).toBe(true)

    const longer = [...early, ...loop(12, 20)]
    const second = run(longer, first.kept, 3000, { reply: says(SECOND) })
    expect(second.text).toContain(SECOND)
    expect(second.text).toContain(`[newest requests of the user, word for word]\n${words}`)
    expect(occurrences(second.text, words)).toBe(1)
    expect(hasPicture(second.request.messages)).toBe(true)

    const answered = [...longer, assistant('It has timeouts now.'), user('Thanks. Go on.')]
    const third = run([...answered, ...loop(20, 30)], second.kept, 1500, { reply: says(FIRST) })
    expect(third.text).toContain('[newest requests of the user, word for word]\nThanks. Go on.')
    expect(third.text).not.toContain(words)
    expect(hasPicture(third.request.messages)).toBe(false)
    expect(third.text).toContain('[no longer attached: image; attach it again to show it]')
  })

  it('M7 quotes a refusal that left before again', () => {
    const denial = 'Denied by the user: do not delete anything in the archive.'
    const early = [task, calls(['no', 'rm', { path: 'x' }]), result('no', denial), ...loop(0, 9)]
    const first = run(early, nothingKept, 900, { reply: says(FIRST) })
    expect(occurrences(first.text, denial)).toBe(1)
    const second = run([...early, ...loop(9, 18)], first.kept, 900, { reply: says(SECOND) })
    expect(second.text).toContain(SECOND)
    expect(occurrences(second.text, denial)).toBe(1)
  })

  it('shortens the paste of a request that was quoted before, where it does not fit any more', () => {
    const lines = Array.from({ length: 300 }, (_, n) => `line ${n} of the log says nothing new`)
    const pasted = user(`Why?\n\n\`\`\`\n${lines.join('\n')}\n\`\`\``)
    const early = [task, pasted, ...loop(0, 12)]
    const first = run(early, nothingKept, 5500, { reply: says(FIRST) })
    expect(first.text).toContain(lines[150])
    const second = run([...early, ...loop(12, 20)], first.kept, 1500, { reply: says(SECOND) })
    expect(second.type).toBe('done')
    expect(second.text).toContain('Why?')
    expect(second.text).toMatch(/\[\d+ (?:lines|characters) omitted\]/)
    const { step } = second
    expect(step?.state.shortened).toContainEqual(expect.objectContaining({ seq: 1, what: 'paste' }))
    expect(countRequest(second.request).total).toBeLessThanOrEqual(1500)
  })

  it('keeps the joined start of the tail apart from later messages', () => {
    const format = 'anthropic-messages'
    const early = {
      messages: [
        anthropic.user('Find the broken relay.'),
        ...turns(0, 20).map(({ role, content }) =>
          role === 'user' ? anthropic.user(String(content)) : anthropic.assistant(String(content)),
        ),
      ],
    }
    const { kept } = compact(format, early, nothingKept, { limitTokens: 1100, reply: says(FIRST) })
    const now = projected(format, early, kept)
    const later = { messages: [...early.messages, anthropic.user('Well?'), anthropic.user('Hm?')] }
    const next = projected(format, later, kept)
    expect(JSON.stringify(next.messages.slice(0, now.messages.length))).toBe(
      JSON.stringify(now.messages),
    )
    expect(next.messages).toHaveLength(now.messages.length + 2)
  })
})
