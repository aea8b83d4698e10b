import { describe, expect, it } from 'vitest'
import { utf8Length } from '../../src/core/shorten/characters.ts'
import { squashLargeResults } from '../../src/passes/squash-large-results.ts'
import { thinOldResults } from '../../src/passes/thin-old-results.ts'
import { openai } from '../support/build.ts'
import { checkPass } from '../support/check-pass.ts'

const { user, calls, result, assistant } = openai

function squashed(text: string, tool = 'run', input: object = { cmd: 'x' }): string {
  const messages = [
    user('Do it.'),
    calls(['call_1', tool, input]),
    result('call_1', text),
    user('And?'),
  ]
  return checkPass(squashLargeResults, { messages }).results[0] ?? ''
}

describe('Z5: squash', () => {
  it('Z5 leaves results up to 1,500 bytes as they are', () => {
    const text = 'x y '.repeat(375)
    expect(utf8Length(text)).toBe(1500)
    expect(squashed(text)).toBe(text)
  })

  it('Z5 never shortens exact tools, valid JSON included', () => {
    const text = JSON.stringify({ description: 'words '.repeat(900) })
    expect(squashed(text, 'read_file', { path: 'a.json' })).toBe(text)
  })

  it('Z5 keeps every form within 3,000 bytes and recognises what is squashed', () => {
    const lines = Array.from({ length: 500 }, (_, index) => `${index} one plain line of output`)
    const once = squashed(lines.join('\n'))
    expect(utf8Length(once)).toBeLessThanOrEqual(3000)
    expect(squashed(once)).toBe(once)
  })

  it('Z5 names the tool to call again where calling it does nothing', () => {
    const text = Array.from({ length: 500 }, (_, index) => `${index} match`).join('\n')
    expect(squashed(text, 'grep', { pattern: 'x' })).toContain('call grep again to see all')
    expect(squashed(text, 'run', { cmd: 'deploy' })).not.toContain('again')
  })

  it('Z5a shortens the long description and keeps short values and valid JSON', () => {
    const text = JSON.stringify({
      id: 'abc123',
      note: 'hi',
      description: 'a long sentence again. '.repeat(150),
    })
    const value = JSON.parse(squashed(text))
    expect(value).toMatchObject({ id: 'abc123', note: 'hi' })
    expect(value.description.length).toBeLessThan(400)
    expect(value.description).toMatch(/\[\d+ characters omitted\]$/)
  })

  it('Z5a keeps the first three of equal ids and says how many are left out', () => {
    const id = '7c0f4b1e-93aa-4d7e-b1c5-0a2f6d9e4411'
    const value = JSON.parse(squashed(JSON.stringify([id, id, id, id, 'pad '.repeat(500)])))
    expect(value[0]).toBe(id)
    expect(value[2]).toBe(id)
    expect(value[3]).toBe('[2 items of 5 omitted]')
  })

  it('Z5a keeps numbers as they are spelled', () => {
    const rows = Array.from(
      { length: 60 },
      () => '{"id":2512292042121000010,"price":1.10,"memo":"some words here"}',
    )
    const short = squashed(`{"total":9007199254740993,"rows":[${rows.join(',')}]}`)
    for (const number of ['2512292042121000010', '9007199254740993', '1.10'])
      expect(short).toContain(number)
    expect(short).toContain('[57 items of 60 omitted]')
  })

  it('Z5a shrinks records inside a long array too, at any depth', () => {
    const record = { deep: { deeper: { text: 'one two three '.repeat(60) } } }
    const value = JSON.parse(
      squashed(JSON.stringify({ rows: Array.from({ length: 9 }, () => record) })),
    )
    expect(value.rows[0].deep.deeper.text).toMatch(/omitted\]$/)
    expect(value.rows.at(-1)).toBe('[6 items of 9 omitted]')
  })

  it('Z5a keeps an element that carries an error before others', () => {
    const rows = Array.from({ length: 80 }, (_, id) => ({
      id,
      state: id === 55 ? 'error: disk is full' : 'ok and some words',
    }))
    expect(squashed(JSON.stringify(rows))).toContain('disk is full')
  })

  it('Z5a keeps elements without strings while they fit', () => {
    const text = JSON.stringify({
      series: Array.from({ length: 200 }, (_, index) => index),
      note: 'long words '.repeat(300),
    })
    expect(JSON.parse(squashed(text)).series).toHaveLength(200)
  })

  it('Z5b keeps both errors and the warning of a log, with an omission mark', () => {
    const info = Array.from(
      { length: 400 },
      (_, index) => `00:0${index} info all is well with this line`,
    )
    const text = [
      ...info.slice(0, 200),
      '00:200 error the disk is full',
      ...info.slice(200),
      'warn: slow',
      'error: gave up',
    ].join('\n')
    const short = squashed(text)
    expect(short).toContain('error the disk is full')
    expect(short).toContain('error: gave up')
    expect(short).toContain('warn: slow')
    expect(short).toMatch(/\[\d+ lines omitted\]/)
    expect(short.length).toBeLessThan(text.length)
  })

  it('Z5b does not take a count of zero for a failure', () => {
    const ok = Array.from(
      { length: 200 },
      (_, index) => `suite ${index}: 12 passed, 0 failed, 0 errors`,
    )
    const text = [
      ...ok.slice(0, 100),
      'suite x: 11 passed, 1 failed',
      ...ok.slice(100),
      'done: warnings=0',
    ].join('\n')
    const short = squashed(text)
    expect(short).toContain('suite x: 11 passed, 1 failed')
  })

  it('Z5b keeps the verdict at the end', () => {
    const lines = Array.from(
      { length: 300 },
      (_, index) => `warn ${index} something minor happened`,
    )
    const text = [
      ...lines,
      'Failed!  - Failed: 3, Passed: 382',
      ...Array.from({ length: 6 }, () => 'cleaning up'),
    ].join('\n')
    expect(squashed(text)).toContain('Failed!  - Failed: 3, Passed: 382')
  })

  it('Z5c keeps the first and the last line of 500 plain lines', () => {
    const lines = Array.from(
      { length: 500 },
      (_, index) => `${index} one plain line of output here`,
    )
    const short = squashed(lines.join('\n'))
    expect(short.startsWith('0 one plain line')).toBe(true)
    expect(short.endsWith('499 one plain line of output here')).toBe(true)
    expect(short).toMatch(/\[\d+ lines omitted\]/)
  })

  it('Z5c cuts one long line on a character boundary and says how much is gone', () => {
    const family = '👩‍👩‍👧‍👦'
    const short = squashed(family.repeat(400))
    expect(short).toMatch(/\[\d+ characters omitted\]/)
    expect(short.replace(/ \[.*\] /, '').replaceAll(family, '')).toBe('')
  })
})

describe('M5: thin', () => {
  const reads = (count: number, text = 'x'.repeat(500)) =>
    Array.from({ length: count }, (_, index) => [
      calls([`call_${index}`, 'fetch_page', { url: `page-${index}` }]),
      result(`call_${index}`, text),
    ]).flat()

  it('M5 cuts old results to 240 characters and a marker, and keeps the calls', () => {
    const messages = [user('Task.'), ...reads(8, 'some words of a page. '.repeat(25))]
    const run = checkPass(thinOldResults, { messages })
    expect(run.messages).toHaveLength(17)
    expect(run.changed).toBe(7)
    expect(run.results[7]).toBe('some words of a page. '.repeat(25))
    expect(run.results[0]).toMatch(/\[310 characters omitted\]$/)
    expect(run.messages[1]).toBe(messages[1])
  })

  it('M5 leaves results of 240 characters and less alone', () => {
    const messages = [user('Task.'), ...reads(2, 'amount: 43')]
    expect(checkPass(thinOldResults, { messages, noTail: true }).changed).toBe(0)
  })

  it('M5 keeps JSON valid, the marker inside the last string', () => {
    const text = JSON.stringify({
      rows: Array.from({ length: 90 }, (_, id) => ({ id, name: `row ${id}` })),
    })
    const run = checkPass(thinOldResults, { messages: [user('Task.'), ...reads(3, text)] })
    expect(JSON.parse(run.results[0] ?? '')).toMatch(/\[\d+ characters omitted\]$/)
  })

  it('M5 keeps the first error line and the last line of a log', () => {
    const log = [
      ...Array.from({ length: 60 }, (_, n) => `line ${n} is fine`),
      'error: E-77 jammed',
      ...Array.from({ length: 60 }, (_, n) => `line ${n} more`),
      '2 failed, 9 passed',
    ].join('\n')
    const run = checkPass(thinOldResults, { messages: [user('Task.'), ...reads(3, log)] })
    expect(run.results[0]).toContain('error: E-77 jammed')
    expect(run.results[0]).toContain('2 failed, 9 passed')
  })

  it('M5 spares the newest successful result of an exact tool', () => {
    const text = 'const answer = 42 // and some more of the file\n'.repeat(20)
    const read = (id: string, path: string) => [
      calls([id, 'read_file', { path }]),
      result(id, text),
    ]
    const messages = [
      user('Task.'),
      ...read('a', 'a.ts'),
      ...read('b', 'b.ts'),
      ...read('c', 'a.ts'),
      assistant('ok'),
      user('Next'),
    ]
    const run = checkPass(thinOldResults, { messages, noTail: true })
    expect(run.results[0]).toMatch(/omitted/)
    expect(run.results[1]).toBe(text)
    expect(run.results[2]).toBe(text)
  })

  it('M5 leaves a result that would not get smaller', () => {
    const messages = [user('Task.'), ...reads(2, `${'a'.repeat(238)} é`)]
    expect(checkPass(thinOldResults, { messages, noTail: true }).changed).toBe(0)
  })
})
