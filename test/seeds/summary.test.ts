import { describe, expect, it } from 'vitest'
import { SUMMARY_SYSTEM } from '../../src/entries/defaults.ts'
import { localEngine } from '../../src/entries/local.ts'
import {
  CHECKPOINT_END,
  CHECKPOINT_START,
  createTamp,
  type ModelRequest,
  type Summarizer,
  type TampOptions,
} from '../../src/index.ts'
import { openai } from '../support/build.ts'
import type { Native } from '../support/native.ts'

const { system, user, assistant, calls, result } = openai

const filler = (n: number) =>
  `Answer ${n}: the relay number ${n} was checked and nothing was found there. `.repeat(4)

/** A chat far over the limits used here, with a task and a newest question. */
function chat(turns = 20): Native[] {
  const middle = Array.from({ length: turns }, (_, n) => [
    assistant(filler(n)),
    user(`Question ${n}: and relay ${n}?`),
  ])
  return [
    system('You are a careful helper.'),
    user('Find the broken relay.'),
    ...middle.flat(),
    assistant('Nothing yet.'),
    user('Which one was it?'),
  ]
}

interface Run {
  readonly messages: readonly Native[]
  readonly asked: readonly ModelRequest[]
  readonly outcome: string
  readonly reason: string | undefined
  readonly same: boolean
}

async function run(
  messages: Native[],
  limitTokens: number,
  answer: Summarizer | string,
  options: TampOptions = {},
): Promise<Run> {
  const asked: ModelRequest[] = []
  const summarizer: Summarizer = (request, call) => {
    asked.push(request)
    return typeof answer === 'string' ? answer : answer(request, call)
  }
  const tamp = createTamp({ engine: localEngine(), summarizer, ...options })
  const request = { messages }
  const fitted = await tamp.fit(request, { limitTokens })
  const { outcome, reason } = fitted.report
  return {
    messages: fitted.request.messages,
    asked,
    outcome,
    reason,
    same: fitted.request === request,
  }
}

const SUMMARY =
  'The relays 0 to 15 were checked one after the other; nothing was found in any of them so far.'
const contentOf = (message: Native | undefined) => String(message?.content)

describe('K: the summary', () => {
  it('K1 gives back the very same object with the same array where it fits, and asks nobody', async () => {
    const { same, asked, outcome } = await run(chat(), 100_000, () => {
      throw new Error('must not be called')
    })
    expect({ same, asked: asked.length, outcome }).toEqual({
      same: true,
      asked: 0,
      outcome: 'unchanged',
    })
  })

  it('K1 gives back the same array for a blank summary without a fallback', async () => {
    const { same, outcome, reason } = await run(chat(), 900, ' \n ', { fallback: 'none' })
    expect({ same, outcome, reason }).toEqual({
      same: true,
      outcome: 'failed',
      reason: 'the summary is blank',
    })
  })

  it('K1 refuses one oversized step with nothing to shorten by name, without a call', async () => {
    const messages = [
      system('S'),
      user('word '.repeat(40).trim()),
      assistant('ok'),
      user(Array.from({ length: 400 }, (_, n) => `w${n}`).join('\n\n')),
    ]
    const before = structuredClone(messages)
    await expect(run(messages, 300, SUMMARY)).rejects.toMatchObject({
      code: 'cannot-fit',
      details: { cause: 'newest', limitTokens: 300 },
    })
    expect(messages).toEqual(before)
  })

  it('K2 keeps task and newest step, and as many newest steps without a gap as fit', async () => {
    const messages = chat()
    const out = await run(messages, 1100, SUMMARY)
    expect(contentOf(out.messages[1]).startsWith('Find the broken relay.')).toBe(true)
    const tail = out.messages.slice(2)
    expect(tail).toEqual(messages.slice(messages.length - tail.length))
    expect(tail.length).toBeGreaterThan(4)
  })

  it('K3 asks once, and shows exactly what leaves', async () => {
    const messages = chat()
    const { messages: out, asked } = await run(messages, 1100, SUMMARY)
    expect(asked).toHaveLength(1)
    const kept = out.length - 2
    const dropped = messages.slice(2, messages.length - kept)
    // Where the tail starts with a user message, that one stands whole in the head message.
    const last = dropped.at(-1)
    const isJoined = contentOf(out[1]).endsWith(`${CHECKPOINT_END}\n\n${contentOf(last)}`)
    const left = isJoined ? dropped.slice(0, -1) : dropped
    expect(left.length).toBeGreaterThan(20)
    for (const message of left) expect(asked[0]?.prompt).toContain(contentOf(message))
    for (const message of messages.slice(2 + left.length)) {
      expect(asked[0]?.prompt).not.toContain(contentOf(message))
    }
  })

  it('K3 asks again once where a summary is too long, a reply or tool syntax, and says why', async () => {
    const bad = [
      'word '.repeat(4000),
      'Sure, I can help you with that! What would you like?',
      '<tool_call>{"name":"x"}</tool_call>',
    ]
    for (const first of bad) {
      let calls = 0
      const out = await run(chat(), 1100, () => (calls++ === 0 ? first : SUMMARY))
      expect(out.asked.map(({ kind }) => kind)).toEqual(['summary', 'regeneration'])
      expect(out.asked[1]?.prompt).toContain('An earlier checkpoint was refused')
      expect(out.asked[1]?.prompt).toContain('Begin with the line `## Task`')
      expect(out.outcome).toBe('compacted')
    }
  })

  it.each([
    ['blank', ''],
    ['white space', ' \n\t'],
    ['cut off', { text: 'The relays', finish: 'length' }],
  ])('K3 K4 does not ask again after a %s answer, and changes nothing', async (_, answer) => {
    const { same, asked, outcome } = await run(chat(), 1100, () => answer, { fallback: 'none' })
    expect({ same, asked: asked.length, outcome }).toEqual({
      same: true,
      asked: 1,
      outcome: 'failed',
    })
  })

  it('K4 takes an error with a numeric status for a failed summary', async () => {
    const fail: Summarizer = () =>
      Promise.reject(Object.assign(new Error('HTTP 429 slow down'), { status: 429 }))
    const { same, reason } = await run(chat(), 1100, fail, { fallback: 'none' })
    expect(same).toBe(true)
    expect(reason).toBe('the summarizer failed: HTTP 429 slow down')
  })

  it.each(['<!doctype html><h1>500</h1>', '{"error":{"message":"rate limited"}}'])(
    'K4 takes an error page for a failed summary: %s',
    async (page) => {
      const { same, reason } = await run(chat(), 1100, page, { fallback: 'none' })
      expect(same).toBe(true)
      expect(reason).toBe('the summary is an error page of the provider')
    },
  )

  it("K4 says in the report why the model's summary was not used", async () => {
    const { outcome, reason } = await run(chat(), 1100, '')
    expect({ outcome, reason }).toEqual({
      outcome: 'compacted',
      reason: "the model's summary failed: the summary is blank",
    })
  })

  it('K4 takes a time-out for a failed summary', async () => {
    const { same, reason } = await run(chat(), 1100, () => new Promise(() => {}), {
      fallback: 'none',
      summarizerTimeoutMs: 10,
    })
    expect(same).toBe(true)
    expect(reason).toBe('the summarizer failed: no answer within 10 ms')
  })

  it("K4 lets the caller's own error leave as itself, with nothing changed", async () => {
    class OwnError extends Error {}
    const messages = chat()
    const before = structuredClone(messages)
    await expect(
      run(messages, 1100, () => Promise.reject(new OwnError('mine'))),
    ).rejects.toBeInstanceOf(OwnError)
    expect(messages).toEqual(before)
  })

  it('K4 goes on without a model where the request cannot be sent otherwise', async () => {
    const { outcome, messages } = await run(chat(), 1100, '')
    expect(outcome).toBe('compacted')
    expect(contentOf(messages[1])).toContain('## ')
  })

  it("Z8 rethrows an abort's reason and changes nothing", async () => {
    const abort = new AbortController()
    const tamp = createTamp({
      engine: localEngine(),
      summarizer: () => {
        abort.abort(new Error('stop it'))
        return new Promise(() => {})
      },
    })
    const messages = chat()
    const before = structuredClone(messages)
    await expect(
      tamp.fit({ messages }, { limitTokens: 1100, signal: abort.signal }),
    ).rejects.toThrow('stop it')
    expect(messages).toEqual(before)
  })

  it('K12 puts label and summary after the task and before the recent steps', async () => {
    const { messages } = await run(chat(), 1100, SUMMARY)
    const head = contentOf(messages[1])
    const order = ['Find the broken relay.', CHECKPOINT_START, SUMMARY, CHECKPOINT_END].map(
      (text) => head.indexOf(text),
    )
    expect(order).toEqual([...order].sort((a, b) => a - b))
    expect(order).not.toContain(-1)
  })

  it('K13 refuses a summary of more than half of what it replaces', async () => {
    const long = filler(1).repeat(30)
    const { same, reason } = await run(chat(), 1100, long, { fallback: 'none' })
    expect(same).toBe(true)
    expect(reason).toMatch(/the summary has \d+ tokens; \d+ tokens are allowed/)
  })

  it("K20 asks with a system text of its own and one message, without the chat's persona", async () => {
    const { asked } = await run(chat(), 1100, SUMMARY)
    expect(asked[0]?.system).toBe(SUMMARY_SYSTEM)
    expect(asked[0]?.prompt).not.toContain('careful helper')
    expect(asked[0]?.prompt).toContain('Question 3')
  })

  it('K22 fits a history many times over the limit after one compaction', async () => {
    const { outcome, asked } = await run(chat(600), 900, SUMMARY)
    expect({ outcome, calls: asked.length }).toEqual({ outcome: 'compacted', calls: 1 })
  })

  it('Z11 puts a labelled model-free summary in place of what left, without a summarizer', async () => {
    const tamp = createTamp({ engine: localEngine() })
    const { request, report } = await tamp.fit({ messages: chat() }, { limitTokens: 1100 })
    expect(report.summary?.source).toBe('extractive')
    expect(contentOf(request.messages[1])).toContain(CHECKPOINT_START)
    expect(request.messages[0]).toEqual(system('You are a careful helper.'))
    expect(request.messages.at(-1)).toEqual(user('Which one was it?'))
  })

  it('Z11 says how much is left out, and marks each sentence that is cut', async () => {
    const rule = `The deadline ${'matters to all of us and '.repeat(20)}must never be missed.`
    const messages = [user('Plan it.'), assistant('Ok.'), user(rule), ...chat(30).slice(2)]
    const { request, report } = await createTamp({ engine: localEngine() }).fit(
      { messages },
      { limitTokens: 1200 },
    )
    expect(report.summary?.text).toMatch(/\[\d+ of \d+ lines of \d+ messages\]/)
    const head = contentOf(request.messages[0])
    const cut = head.split('\n').filter((line) => line.includes('The deadline matters'))
    for (const line of cut) expect(line).toMatch(/\[\d+ characters omitted\]$/)
  })

  it('Z7 names a missing summarizer where nothing may take its place', async () => {
    const tamp = createTamp({ engine: localEngine(), fallback: 'none' })
    const { report } = await tamp.fit({ messages: chat() }, { limitTokens: 1100 })
    expect(report).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('summarizer-unavailable'),
    })
  })
})

describe('M: what the summarizer sees and where the summary stands', () => {
  const loop = (n: number) => [
    calls([`call_${n}`, 'read_page', { url: `https://x.example/${n}` }]),
    result(`call_${n}`, `page ${n} `.repeat(120)),
  ]

  it('M10 renders the transcript as prose with clipped results, and never a picture', async () => {
    const image = openai.image(`data:image/png;base64,${'A'.repeat(40_000)}`)
    const messages = [
      user('Task.'),
      assistant('Show me.'),
      user([{ type: 'text', text: 'Here it is.' }, image]),
      assistant('I see.'),
      ...Array.from({ length: 8 }, (_, n) => loop(n)).flat(),
      calls(['big', 'run', { cmd: 'x' }]),
      result('big', 'y '.repeat(5000)),
      assistant('Done.'),
      user('Next?'),
    ]
    const { asked } = await run(messages, 900, SUMMARY, {
      passes: {
        'squash-large-results': false,
        'thin-old-results': false,
        'drop-stale-media': false,
      },
    })
    const prompt = asked[0]?.prompt ?? ''
    expect(prompt).toContain('[assistant calls read_page] {"url":"https://x.example/0"}')
    expect(prompt).toContain('[tool result read_page] page 0')
    expect(prompt).toContain('[user] [image]')
    expect(prompt).not.toContain('AAAA')
    expect(prompt).toMatch(/\[8000 characters omitted\]/)
  })

  it('M11 asks under headings for task, rules, facts, failures, position and origin', async () => {
    const { asked } = await run(chat(), 1100, SUMMARY)
    for (const heading of [
      '## Task',
      '## User rules',
      '## Facts',
      '## Failures',
      '## Position',
      '## Open',
    ])
      expect(asked[0]?.prompt).toContain(heading)
    expect(asked[0]?.prompt.indexOf('<recording')).toBe(0)
    expect(asked[0]?.prompt.trimEnd().endsWith('Begin with the line `## Task`.')).toBe(true)
  })

  it('M3 keeps the task first and byte-identical, and joins a user message that starts the tail', async () => {
    const { messages } = await run(chat(), 1100, SUMMARY)
    expect(contentOf(messages[1]).startsWith('Find the broken relay.\n\n')).toBe(true)
    expect(messages.slice(1).every((message, at, all) => message.role !== all[at - 1]?.role)).toBe(
      true,
    )
  })

  it('M20 quotes the newest user message word for word where the cut lies behind it', async () => {
    const messages = [
      user('Fix the race.'),
      ...Array.from({ length: 4 }, (_, n) => loop(n)).flat(),
      user('Your test hangs. Add timeouts.'),
      ...Array.from({ length: 4 }, (_, n) => loop(n + 9)).flat(),
    ]
    const passes = { 'thin-old-results': false, 'squash-large-results': false } as const
    const { messages: out } = await run(messages, 700, SUMMARY, { passes })
    const head = contentOf(out[0])
    expect(head).toContain(
      '[newest requests of the user, word for word]\nYour test hangs. Add timeouts.',
    )
    expect(head.indexOf('Fix the race.')).toBe(0)
    expect(out.at(-1)?.role).toBe('tool')
  })

  it('M7 quotes a refusal that is folded word for word', async () => {
    const denial = 'Denied by the user: do not delete anything in the archive.'
    const messages = [
      user('Clean up.'),
      calls(['no', 'rm', { path: 'x' }]),
      result('no', denial),
      ...Array.from({ length: 12 }, (_, n) => loop(n)).flat(),
    ]
    const { messages: out } = await run(messages, 900, SUMMARY, {
      passes: { 'thin-old-results': false },
    })
    expect(JSON.stringify(out)).toContain(denial)
  })

  it('M9 never separates a parallel batch', async () => {
    const batch = [
      calls(['a', 'x', {}], ['b', 'x', {}], ['c', 'x', {}]),
      result('a', 'one '.repeat(90)),
      result('b', 'two '.repeat(90)),
      result('c', 'three '.repeat(90)),
    ]
    const messages = [
      user('Task.'),
      ...batch,
      assistant('ok'),
      user('More.'),
      ...batch.map((m) => JSON.parse(JSON.stringify(m).replaceAll(/"([abc])"/g, '"$12"'))),
      assistant('ok'),
      user('Last?'),
    ]
    for (let limitTokens = 120; limitTokens < 700; limitTokens += 20) {
      const { messages: out } = await run(messages, limitTokens, SUMMARY, {
        passes: { 'thin-old-results': false },
      }).catch(() => ({ messages: [] as Native[] }))
      const called = out.flatMap(
        (m) => (m.tool_calls as { id: string }[] | undefined)?.map(({ id }) => id) ?? [],
      )
      const answered = out.flatMap((m) => (m.role === 'tool' ? [String(m.tool_call_id)] : []))
      expect(answered).toEqual(called)
    }
  })
})
