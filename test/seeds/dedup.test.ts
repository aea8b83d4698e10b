import { describe, expect, it } from 'vitest'
import { collapseRepeatedFailures } from '../../src/passes/collapse-repeated-failures.ts'
import { evictSupersededResults } from '../../src/passes/evict-superseded-results.ts'
import { openai } from '../support/build.ts'
import { checkPass, type PassCase, type PassRun } from '../support/check-pass.ts'
import type { Native } from '../support/native.ts'

const { user, calls, result, assistant } = openai

const body = (name: string) => `${name}: ${'line of the file with some words in it\n'.repeat(12)}`

/** One call with its result a row. */
function history(
  ...rows: readonly (readonly [tool: string, input: object, text: string])[]
): Native[] {
  const exchanges = rows.flatMap(([tool, input, text], index) => [
    calls([`call_${index}`, tool, input]),
    result(`call_${index}`, text),
  ])
  return [user('Do the task.'), ...exchanges, assistant('Done.'), user('Thanks, go on.')]
}

const evict = (run: PassCase): PassRun => checkPass(evictSupersededResults, run)
const collapse = (run: PassCase): PassRun => checkPass(collapseRepeatedFailures, run)
const isMarker = (text: string | undefined) => text?.startsWith('[superseded:')

describe('Z4 and M6: results that a newer one speaks for', () => {
  it('Z4 keeps only the newest of two identical reads, and says so', () => {
    const run = evict({
      messages: history(
        ['read_file', { path: 'a.rs' }, body('a')],
        ['read_file', { path: 'a.rs' }, body('a')],
      ),
    })
    expect(run.changed).toBe(1)
    expect(run.results[0]).toMatch(/^\[superseded: a later identical call of read_file/)
    expect(run.results[1]).toBe(body('a'))
  })

  it('Z4 leaves reads of different files alone', () => {
    const run = evict({
      messages: history(
        ['read_file', { path: 'a.rs' }, body('a')],
        ['read_file', { path: 'b.rs' }, body('b')],
      ),
    })
    expect(run.changed).toBe(0)
  })

  it('Z4 does not mind the order of keys, at any depth', () => {
    const one = { pattern: 'x', where: { from: 1, to: { a: 1, b: [2, { c: 3, d: 4 }] } } }
    const two = { where: { to: { b: [2, { d: 4, c: 3 }], a: 1 }, from: 1 }, pattern: 'x' }
    const run = evict({ messages: history(['grep', one, body('a')], ['grep', two, body('b')]) })
    expect(run.changed).toBe(1)
    expect(isMarker(run.results[0])).toBe(true)
  })

  it('Z4 never touches tools with side effects, nor tools nobody declared', () => {
    const rows = ['bash', 'cargo_test', 'deploy'].flatMap((tool) => [
      [tool, { cmd: 'cargo test' }, body('same')] as const,
      [tool, { cmd: 'cargo test' }, body('same')] as const,
    ])
    expect(evict({ messages: history(...rows) }).changed).toBe(0)
  })

  it('Z4 leaves a result without a known call as it was', () => {
    const messages = [
      user('Do it.'),
      result('ghost', body('a')),
      assistant('Hm.'),
      result('ghost', body('a')),
      user('And?'),
    ]
    expect(evict({ messages }).changed).toBe(0)
  })

  it('Z4 keeps calls, number and order of messages', () => {
    const messages = history(
      ['read_file', { path: 'a' }, body('a')],
      ['read_file', { path: 'a' }, body('a')],
    )
    const run = evict({ messages })
    expect(run.messages.map(({ role }) => role)).toEqual(messages.map(({ role }) => role))
    expect(run.messages[1]).toBe(messages[1])
  })

  it('M6 lets a whole write supersede an earlier read, and names the write tool', () => {
    const run = evict({
      messages: history(
        ['read_file', { path: 'a' }, body('a')],
        ['write_file', { path: 'a', content: 'x' }, 'written'],
      ),
    })
    expect(run.changed).toBe(1)
    expect(run.results[0]).toContain('a later call of write_file')
    expect(run.results[0]).toContain('call read_file to read it again')
  })

  it('M6 lets a partial edit supersede nothing until a later full read', () => {
    const rows = [
      ['read_file', { path: 'a' }, body('a')] as const,
      ['edit_file', { path: 'a', old: 'x', new: 'y' }, 'ok'] as const,
    ]
    expect(evict({ messages: history(...rows) }).changed).toBe(0)
    expect(
      evict({ messages: history(...rows, ['read_file', { path: 'a' }, body('b')]) }).changed,
    ).toBe(1)
  })

  it('M6 lets a failed read supersede nothing and stay whole', () => {
    const failure =
      'Error: EACCES: permission denied, open a, and more words so that it is long enough to shrink'
    const run = evict({
      messages: history(
        ['read_file', { path: 'a' }, body('a')],
        ['read_file', { path: 'a' }, failure],
      ),
    })
    expect(run.changed).toBe(0)
    expect(run.results).toEqual([body('a'), failure])
  })

  it('M6 lets a ranged read speak only for its range', () => {
    const full = ['read_file', { path: 'a' }, body('a')] as const
    const ranges = [
      ['read_file', { path: 'a', offset: 1, limit: 5 }, body('1')] as const,
      ['read_file', { path: 'a', offset: 9, limit: 5 }, body('9')] as const,
    ]
    expect(evict({ messages: history(full, ...ranges) }).changed).toBe(0)
    const again = evict({
      messages: history(full, ...ranges, [
        'read_file',
        { path: 'a', offset: 1, limit: 5 },
        body('1'),
      ]),
    })
    expect(again.changed).toBe(1)
    expect(again.results[0]).toBe(body('a'))
    expect(isMarker(again.results[1])).toBe(true)
  })

  it('M6 lets a write make earlier ranged reads of its path stale', () => {
    const run = evict({
      messages: history(
        ['read_file', { path: 'a', offset: 1 }, body('1')],
        ['write_file', { path: 'a', content: 'x' }, 'written'],
      ),
    })
    expect(run.changed).toBe(1)
  })

  it('M6 matches a neutral tool by its exact arguments alone', () => {
    const run = evict({
      messages: history(
        ['list_dir', { path: 'src' }, body('1')],
        ['list_dir', { path: 'test' }, body('2')],
        ['list_dir', { path: 'src' }, body('3')],
      ),
    })
    expect(run.changed).toBe(1)
    expect(isMarker(run.results[0])).toBe(true)
    expect(run.results[1]).toBe(body('2'))
  })

  it('M6 does not let a listing of a path evict a read of it', () => {
    const run = evict({
      messages: history(
        ['read_file', { path: 'src' }, body('r')],
        ['list_dir', { path: 'src' }, body('l')],
      ),
    })
    expect(run.changed).toBe(0)
  })

  it('M6 follows the effect that the app declares', () => {
    const rows = [
      ['weather', { city: 'Oslo' }, body('1')] as const,
      ['weather', { city: 'Oslo' }, body('2')] as const,
    ]
    expect(evict({ messages: history(...rows) }).changed).toBe(0)
    expect(
      evict({ messages: history(...rows), tools: { weather: { effect: 'neutral' } } }).changed,
    ).toBe(1)
  })

  it('M19 lets a short result that speaks of failure supersede nothing', () => {
    const run = evict({
      messages: history(
        ['read_file', { path: 'a' }, body('a')],
        ['read_file', { path: 'a' }, 'file not found'],
      ),
    })
    expect(run.changed).toBe(0)
  })
})

describe('M7: failures that happened again', () => {
  const failure = `error: parameter "content" is required but was not given. ${'The call was rejected. '.repeat(12)}`
  const call = ['write_note', { title: 'a' }, failure] as const

  it('M7 keeps the newest of four equal failures whole', () => {
    const run = collapse({ messages: history(call, call, call, call) })
    expect(run.changed).toBe(3)
    expect(run.results[3]).toBe(failure)
    expect(run.results[0]).toMatch(/^\[repeated failure: the same call of write_note failed again/)
  })

  it.each(['Denied by the user:', 'Blocked by policy:', 'Blocked by a hook:'])(
    'M7 never collapses "%s"',
    (prefix) => {
      const refusal = [
        'rm',
        { path: 'x' },
        `${prefix} ${'no, do not do this. '.repeat(12)}`,
      ] as const
      const run = collapse({ messages: history(refusal, refusal, refusal) })
      expect(run.changed).toBe(0)
      expect(run.results).toEqual([refusal[2], refusal[2], refusal[2]])
    },
  )

  it('M7 tells refusals and equal failures apart where they mix', () => {
    const refusal = [
      'write_note',
      { title: 'a' },
      `Denied by the user: ${'no. '.repeat(80)}`,
    ] as const
    expect(
      collapse({ messages: history(call, refusal, call, refusal, call, refusal) }).changed,
    ).toBe(2)
  })

  it('M7 takes different errors for different facts', () => {
    const other = [
      'write_note',
      { title: 'a' },
      `error: read-only since 10:41. ${'x y '.repeat(90)}`,
    ] as const
    expect(collapse({ messages: history(call, other) }).changed).toBe(0)
  })

  it('M7 takes one error on two paths for two facts', () => {
    const on = (path: string) => ['read_file', { path }, failure] as const
    expect(collapse({ messages: history(on('a'), on('b')) }).changed).toBe(0)
  })

  it('M7 never touches equal successes', () => {
    const ok = ['run', { cmd: 'ls' }, 'file '.repeat(100)] as const
    expect(collapse({ messages: history(ok, ok) }).changed).toBe(0)
  })

  it('M7 does not mind outer blanks, and removes no block', () => {
    const messages = history(call, ['write_note', { title: 'a' }, `${failure}\n`])
    const run = collapse({ messages })
    expect(run.changed).toBe(1)
    expect(run.messages).toHaveLength(messages.length)
  })
})
