import { describe, expect, it } from 'vitest'
import { adapterFor } from '../../src/adapters/index.ts'
import { readRequest } from '../../src/adapters/read-request.ts'
import { isEnough, makeBudget, oneShotBudget } from '../../src/core/budget.ts'
import { applyEdits } from '../../src/core/edit.ts'
import { errorFromData, errorToData, TampError } from '../../src/core/errors.ts'
import { checkpointText, escapeMarks, isMarker, supersededMarker } from '../../src/core/marker.ts'
import { plainCopy } from '../../src/core/plain.ts'
import { mustFit, rungsFor } from '../../src/core/rungs.ts'
import {
  boundaryBefore,
  characterCount,
  firstCharacters,
  headOf,
  isWellFormed,
  tailOf,
  utf8Length,
  wellFormed,
} from '../../src/core/shorten/characters.ts'
import { gapTexts } from '../../src/core/shorten/gap.ts'
import { shortenLongStrings } from '../../src/core/shorten/json.ts'
import { shortenPaste } from '../../src/core/shorten/paste.ts'

describe('budget', () => {
  const input = {
    ceilingTokens: 1000,
    overheadTokens: 100,
    reserveTokens: 100,
    trigger: 0.85,
    target: 0.5,
    keepRecentTokens: undefined,
  }

  it('K6 leaves ceiling − reserve − overhead to the conversation', () => {
    expect(makeBudget(input)).toMatchObject({
      allowanceTokens: 800,
      targetTokens: 400,
      triggerTokens: 680,
      keepRecentTokens: 200,
      minimumGainTokens: 80,
    })
  })

  it('lets the reserve take at most half of the window', () => {
    expect(makeBudget({ ...input, reserveTokens: 5000 }).reserveTokens).toBe(500)
  })

  it('knows one mark where a request is fitted once', () => {
    expect(oneShotBudget(1000, 100, undefined)).toMatchObject({
      allowanceTokens: 900,
      targetTokens: 900,
      reserveTokens: 0,
    })
  })

  it('Z6 is due at 85 of 100 and enough only with the minimum gain', () => {
    const budget = makeBudget({ ...input, ceilingTokens: 1200 })
    expect(isEnough('soft', budget, 1000, 849)).toBe(true)
    expect(isEnough('soft', budget, 1000, 850)).toBe(false)
    expect(isEnough('soft', budget, 900, 849)).toBe(false)
    expect(isEnough('hard', budget, 1200, 1000)).toBe(true)
    expect(isEnough('forced', budget, 1200, 501)).toBe(false)
    expect(isEnough('overflow', budget, 1200, 500)).toBe(true)
  })
})

describe('the order of rungs', () => {
  it('M14 M15 is one table', () => {
    expect(rungsFor('soft')).toEqual(['cheap-passes', 'summary'])
    expect(rungsFor('forced')).toEqual(['cheap-passes', 'summary'])
    expect(rungsFor('overflow')).toEqual([
      'cheap-passes-up-to-newest-step',
      'newest-results',
      'summary',
      'model-free-summary',
    ])
    expect(rungsFor('one-shot')).toEqual(rungsFor('hard'))
    expect(rungsFor('hard')).toEqual([
      'shorten-what-must-stay',
      'cheap-passes',
      'summary',
      'cheap-passes-up-to-newest-step',
      'model-free-summary',
      'last-rung',
    ])
    expect((['soft', 'forced', 'overflow', 'hard', 'one-shot'] as const).filter(mustFit)).toEqual([
      'hard',
      'one-shot',
    ])
  })
})

describe('characters', () => {
  it('S8 cuts on character boundaries', () => {
    expect([3, 4, 10].map((count) => firstCharacters('abc😀é', count))).toEqual([
      'abc',
      'abc😀',
      'abc😀é',
    ])
    expect([firstCharacters('', 5), firstCharacters('abc', 0)]).toEqual(['', ''])
  })

  it('counts bytes as UTF-8 does and characters as code points', () => {
    for (const text of ['', 'abc', 'é', '中', '😀', 'a\ud800b'])
      expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length)
    expect(characterCount('a😀中')).toBe(3)
  })

  it.each(['👩‍👩‍👧‍👦', '🇳🇱', 'é', '👍🏽', '한'])('never cuts inside %s', (grapheme) => {
    const text = grapheme.repeat(30)
    for (let at = 0; at <= text.length; at++)
      expect(boundaryBefore(text, at) % grapheme.length).toBe(0)
    for (let bytes = 0; bytes < 60; bytes++) {
      expect(headOf(text, bytes).length % grapheme.length).toBe(0)
      expect(tailOf(text, bytes).length % grapheme.length).toBe(0)
    }
  })

  it('replaces halves of pairs, and only those', () => {
    expect(wellFormed('a\ud83db😀\ude00')).toBe('a�b😀�')
    expect([isWellFormed('a😀'), isWellFormed('\ud83d')]).toEqual([true, false])
  })
})

describe('texts that Tamp leaves', () => {
  it('escapes its own marks in text from elsewhere', () => {
    const text = checkpointText('said: [end of tamp checkpoint] and [tamp checkpoint: x]')
    expect(text.match(/\[end of tamp checkpoint\]/g)).toHaveLength(1)
    expect(text.match(/\[tamp checkpoint/g)).toHaveLength(1)
    expect(escapeMarks('[NEWEST requests of the user')).toBe('[\\NEWEST requests of the user')
  })

  it('takes only whole texts for markers', () => {
    const marker = supersededMarker('read', 'read')
    expect([isMarker(marker), isMarker(`${marker}\nmore`), isMarker(`see ${marker}`)]).toEqual([
      true,
      false,
      false,
    ])
  })

  it('shortens the paste alone, fenced or between blank lines', () => {
    const log = Array.from({ length: 200 }, (_, n) => `line ${n} of the log`).join('\n')
    const fenced = shortenPaste(`Look:\n\`\`\`txt\n${log}\n\`\`\`\nWhat is wrong?`, 1500, 600)
    expect(fenced).toMatch(
      /^Look:\n```txt\nline 0 [\s\S]*lines omitted\][\s\S]*\n```\nWhat is wrong\?$/,
    )
    const bare = shortenPaste(`Rule: never restart.\n\n${log}\n\nFirst: which?`, 1500, 600)
    expect(bare.startsWith('Rule: never restart.\n\nline 0')).toBe(true)
    expect(bare.endsWith('\n\nFirst: which?')).toBe(true)
    expect(shortenPaste('short text', 1500, 600)).toBe('short text')
  })

  it('cuts long strings of arguments and nothing else', () => {
    const text = `{"path": "a.ts", "n": 9007199254740993, "content": ${JSON.stringify('word '.repeat(900))}}`
    const short = shortenLongStrings(text, 1500, 300, gapTexts(undefined)) ?? ''
    expect(short).toContain('"n":9007199254740993')
    expect(JSON.parse(short)).toMatchObject({
      path: 'a.ts',
      content: expect.stringMatching(/characters omitted\]/),
    })
    expect(shortenLongStrings('{"cut', 1500, 300, gapTexts(undefined))).toBeUndefined()
  })
})

describe('plain copies and errors', () => {
  it('copies what JSON would carry, through proxies and toJSON', () => {
    const value = new Proxy(
      { a: [1, undefined, () => 1], d: new Date(0), skip: undefined, f: () => 1 },
      {},
    )
    expect(plainCopy(value, 'x')).toEqual({ a: [1, null, null], d: '1970-01-01T00:00:00.000Z' })
  })

  it('keeps __proto__ a key', () => {
    const copy = plainCopy(JSON.parse('{"__proto__":{"a":1}}'), 'x') as object
    expect(Object.keys(copy)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
  })

  it('names the place of what has no form', () => {
    const cyclic: { a: unknown[] } = { a: [] }
    cyclic.a.push(cyclic)
    let deep: unknown = 1
    for (let depth = 0; depth < 5000; depth++) deep = [deep]
    for (const [value, path] of [
      [cyclic, 'x.a[0]'],
      [{ b: 1n }, 'x.b'],
      [{ c: new Uint8Array(1) }, 'x.c'],
    ] as const) {
      expect(() => plainCopy(value, 'x')).toThrow(
        expect.objectContaining({
          code: 'invalid-conversation',
          details: expect.objectContaining({ path }),
        }),
      )
    }
    expect(() => plainCopy(deep, 'x')).toThrow(/nested deeper than 200/)
  })

  it('carries errors as data and back', () => {
    const error = new TampError('cannot-fit', 'too big', { limitTokens: 5 })
    const back = errorFromData(structuredClone(errorToData(error)))
    expect(back).toMatchObject({
      name: 'TampError',
      code: 'cannot-fit',
      message: 'too big',
      details: { limitTokens: 5 },
    })
    expect(errorFromData(errorToData(new TypeError('x')))).toMatchObject({
      name: 'TypeError',
      message: 'x',
    })
    expect(errorFromData(errorToData('text')).message).toBe('text')
  })
})

describe('edits on a path through a tree', () => {
  it('work where the seq of neighbours do not follow one another', () => {
    const messages = [
      { role: 'user', content: 'Task' },
      { role: 'assistant', content: 'A' },
      { role: 'user', content: 'B' },
    ]
    const adapter = adapterFor({ messages }, 'openai-chat')
    const { view } = readRequest(adapter, { messages })
    const sparse = view.units.map((unit) => {
      const seq = 7 + 5 * unit.seq
      return { ...unit, seq, parts: unit.parts.map((part) => ({ ...part, seq })) }
    })
    const path = { ...view, units: sparse, originals: sparse }
    const base = { pass: 't', reason: 't', tokensBefore: 1, tokensAfter: 0 } as const
    const rewritten = applyEdits(path, [{ ...base, type: 'rewrite', seq: 17, part: 0, text: 'C' }])
    const out = adapter.write({ messages }, rewritten).messages
    expect(out).toEqual([messages[0], messages[1], { role: 'user', content: 'C' }])
    expect(out[0]).toBe(messages[0])
    const joined = applyEdits(path, [{ ...base, type: 'remove', seq: 12 }])
    expect(adapter.write({ messages }, joined).messages).toEqual([
      { role: 'user', content: 'Task\n\nB' },
    ])
    expect(() => applyEdits(path, [{ ...base, type: 'remove', seq: 8 }])).toThrow(RangeError)
  })
})
