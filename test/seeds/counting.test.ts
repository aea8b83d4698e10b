import { describe, expect, it } from 'vitest'
import { localEngine } from '../../src/entries/local.ts'
import { createTamp } from '../../src/index.ts'
import { encodingOf } from '../../src/tokens/counter.ts'
import { openai } from '../support/build.ts'
import { counterFromFile } from '../support/rank-files.ts'
import { countPretokenSimply } from '../support/simple-merge.ts'

const o200k = counterFromFile('o200k_base')
const tamp = createTamp({ engine: localEngine() })

describe('Z1 and Z2: one counter for everything', () => {
  it.each([
    ['', 0],
    ['hello world', 2],
    ['fn main() { println!("hi"); }', 9],
    ['<|endoftext|>', 7],
  ])('Z1 counts %j as %i tokens', (text, tokens) => {
    expect(o200k.count(text)).toBe(tokens)
  })

  it('Z1 uses cl100k_base only for the models that do', () => {
    expect(['gpt-4', 'gpt-4-turbo', 'gpt-3.5-turbo'].map(encodingOf)).toEqual(
      Array(3).fill('cl100k_base'),
    )
    expect(['gpt-4o', 'gpt-4.1', 'gpt-5', 'claude-sonnet-4-5', undefined].map(encodingOf)).toEqual(
      Array(5).fill('o200k_base'),
    )
  })

  it.each([
    ['a', 'a'],
    ['Han', '中'],
    ['blanks', ' '],
    ['emoji', '😀'],
    ['lone surrogates', '\ud800'],
    ['slashes and line ends', '/\n'],
  ])('Z1 counts an endless run of %s as it is', (_, unit) => {
    const run = unit.repeat(40_000)
    expect(o200k.count(run)).toBe(countPretokenSimply(run))
  })

  it('Z2 counts a message by everything it sends', async () => {
    const count = async (message: object) => {
      const measured = await tamp.measure({ messages: [message] }, { format: 'openai-chat' })
      return measured.totalTokens
    }
    const framing = 4
    expect(await count(openai.user('hello world'))).toBe(2 + framing)
    expect(await count({ role: 'assistant', content: null })).toBe(framing)
    const called = openai.calls(['c', 'run', { cmd: 'ls' }])
    expect(await count(called)).toBe(framing + o200k.count('run') + o200k.count('{"cmd":"ls"}'))
    expect(await count({ ...openai.user('hello world'), name: 'Ann' })).toBe(2 + framing + 1)
  })

  it.each([
    ['gpt-4o', 'exact'],
    ['o3', 'exact'],
    ['claude-sonnet-4-5', 'estimated'],
    ['llama-3', 'estimated'],
    [undefined, 'estimated'],
  ])('Z1 calls a count of %s %s', async (model, counting) => {
    const measured = await tamp.measure({
      model,
      messages: [openai.system('S'), openai.user('hi')],
    })
    expect(measured.counting).toBe(counting)
  })

  it('Z2 charges an image a flat price and never counts its base64', async () => {
    const image = openai.image(`data:image/png;base64,${'A'.repeat(200_000)}`)
    const measured = await tamp.measure({ messages: [openai.user([image])] })
    expect(measured.segments.media).toBe(1600)
    expect(measured.totalTokens).toBe(1604)
  })

  it('K6 counts tools as overhead, but not twice where they stand in the system text', async () => {
    const tools = [{ type: 'function', function: { name: 'run', parameters: { type: 'object' } } }]
    const system = (content: string) => ({
      tools,
      messages: [openai.system(content), openai.user('hi')],
    })
    const apart = await tamp.measure(system('Be brief.'))
    expect(apart.segments.tools).toBe(o200k.count(JSON.stringify(tools)))
    const inside = await tamp.measure(system(`Tools: ${JSON.stringify(tools)}`))
    expect(inside.segments.tools).toBe(0)
  })

  it('K15 counts the name of a speaker', async () => {
    const named = await tamp.measure(
      { messages: [{ ...openai.user('hi'), name: 'Marguerite' }] },
      { format: 'openai-chat' },
    )
    const plain = await tamp.measure({ messages: [openai.user('hi')] }, { format: 'openai-chat' })
    expect(named.totalTokens).toBe(plain.totalTokens + o200k.count('Marguerite'))
  })

  it('gives segments that add up to the total', async () => {
    const { request } = await tamp.fit(
      {
        messages: [
          openai.system('Be brief.'),
          openai.user('The task is to count.'),
          ...Array.from({ length: 30 }, (_, n) => [
            openai.assistant(`Answer ${n}. ${'words '.repeat(30)}`),
            openai.user(`Question ${n}?`),
          ]).flat(),
        ],
      },
      { limitTokens: 700 },
    )
    const measured = await tamp.measure(request)
    const { system, tools, task, checkpoint, turns, media } = measured.segments
    expect(system + tools + task + checkpoint + turns + media).toBe(measured.totalTokens)
    expect(checkpoint).toBeGreaterThan(50)
  })
})
