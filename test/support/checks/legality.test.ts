import { describe, expect, it } from 'vitest'
import { anthropic, openai } from '../build.ts'
import { judge, type MadeUpRun } from '../judge.ts'

const task = openai.user('Do it.')
const calls = openai.calls(['c1', 'run', { cmd: 'a' }], ['c2', 'run', { cmd: 'b' }])
const one = openai.result('c1', 'one')
const two = openai.result('c2', 'two')
const results = [one, two]
const done = openai.user('Thanks.')
const whole = [task, calls, ...results, done]

const ask = anthropic.user('Do it.')
const callBlocks = anthropic.assistant(
  anthropic.call('t1', 'run', {}),
  anthropic.call('t2', 'run', {}),
)
const bothResults = anthropic.user(anthropic.result('t1', 'one'), anthropic.result('t2', 'two'))
const wholeBlocks = [ask, callBlocks, bothResults]

const openaiRun = (output: MadeUpRun['output'], input = whole): MadeUpRun => ({ input, output })
const anthropicRun = (output: MadeUpRun['output'], input = wholeBlocks): MadeUpRun => ({
  format: 'anthropic-messages',
  input,
  output,
})

describe('tool-pairs-legal', () => {
  it.each([
    ['whole pairs in any order', openaiRun([task, calls, two, one, done])],
    ['pairs that left together', openaiRun([task, done])],
    ['a call that the input left open', openaiRun([task, calls], [task, calls])],
    ['whole pairs of blocks', anthropicRun(wholeBlocks)],
    [
      'text behind the results',
      anthropicRun([
        ask,
        callBlocks,
        anthropic.user(anthropic.result('t2', ''), anthropic.result('t1', ''), 'and now?'),
      ]),
    ],
  ])('passes %s', (_name, run) => {
    expect(judge('tool-pairs-legal', run)).toEqual([])
  })

  it.each([
    ['a call without result', openaiRun([task, calls, one, done]), 'c2 is answered 0 times'],
    ['a result without call', openaiRun([task, one, done]), 'does not stand in the run'],
    ['two results of one call', openaiRun([task, calls, ...results, one]), 'answered 2 times'],
    [
      'text between call and result',
      openaiRun([task, calls, done, ...results]),
      'answered 0 times',
    ],
    ['a call left open by the cut alone', openaiRun([task, calls]), 'answered 0 times'],
    [
      'a stranger in the run',
      openaiRun([calls, ...results, openai.result('x', '')]),
      'x answers no',
    ],
    ['a block call without result', anthropicRun([ask, callBlocks, ask]), 't1 is answered 0 times'],
    ['a block result without call', anthropicRun([bothResults]), 't1 answers no call'],
    [
      'text before results',
      anthropicRun([
        ask,
        callBlocks,
        anthropic.user('wait', anthropic.result('t1', ''), anthropic.result('t2', '')),
      ]),
      'stands before a result',
    ],
  ])('faults %s', (_name, run, detail) => {
    expect(judge('tool-pairs-legal', run).join('; ')).toContain(detail)
  })
})

describe('no-empty-content', () => {
  it.each([
    ['an empty result', [openai.result('c1', '')]],
    ['null content with calls', [calls]],
    ['thinking with text', [anthropic.assistant(anthropic.thinking('hm', 's'), 'Yes.')]],
    ['an empty result block', [anthropic.user(anthropic.result('t1', ''))]],
  ])('passes %s', (_name, output) => {
    expect(judge('no-empty-content', openaiRun(output))).toEqual([])
  })

  it.each([
    ['an empty string', [openai.user('')]],
    ['a blank string', [openai.assistant(' \n')]],
    ['null without calls', [openai.assistant(null)]],
    ['an empty list', [anthropic.user()]],
    ['a blank text block', [anthropic.user('  \n')]],
    [
      'a blank text block in a result',
      [anthropic.user(anthropic.result('t1', [{ type: 'text', text: '' }]))],
    ],
    ['thinking alone', [anthropic.assistant(anthropic.thinking('hm', 's'))]],
  ])('faults %s', (_name, output) => {
    expect(judge('no-empty-content', openaiRun(output))).toHaveLength(1)
  })
})

describe('roles-alternate', () => {
  it('passes a run of tool messages as one step between', () => {
    expect(
      judge('roles-alternate', openaiRun([task, calls, ...results, openai.assistant('ok'), done])),
    ).toEqual([])
  })
  it('faults two users in a row', () => {
    expect(judge('roles-alternate', openaiRun([task, done]))).toHaveLength(1)
  })
  it('faults two users with a system message between', () => {
    expect(judge('roles-alternate', openaiRun([task, openai.system('s'), done]))).toHaveLength(1)
  })
})

describe('single-system', () => {
  const input = [openai.system('Be brief.'), task]
  it('passes the same system text in front', () => {
    expect(judge('single-system', { input, output: input })).toEqual([])
  })
  it.each([
    ['a second one', [...input, openai.system('Summary')]],
    ['another text', [openai.system('Be long.'), task]],
    ['one that moved', [task, openai.system('Be brief.')]],
    ['one that left', [task]],
  ])('faults %s', (_name, output) => {
    expect(judge('single-system', { input, output })).toHaveLength(1)
  })
})

describe('ends-with-user', () => {
  it.each([
    ['user', [task]],
    ['tool', [calls, ...results]],
  ])('passes %s', (_role, output) => {
    expect(judge('ends-with-user', openaiRun(output))).toEqual([])
  })
  it('faults an assistant message at the end', () => {
    expect(judge('ends-with-user', openaiRun([task, openai.assistant('ok')]))).toHaveLength(1)
  })
})

describe('tool-arguments-valid', () => {
  const content = 'x'.repeat(100)
  const input = [task, openai.calls(['c1', 'write', { path: 'a.md', mode: 7, content }])]
  const written = (args: string): MadeUpRun => ({
    input,
    output: [
      {
        role: 'assistant',
        tool_calls: [{ id: 'c1', function: { name: 'write', arguments: args } }],
      },
    ],
  })
  it('passes a shortened long value', () => {
    expect(
      judge('tool-arguments-valid', written('{"path":"a.md","mode":7,"content":"x…"}')),
    ).toEqual([])
  })
  it.each([
    ['a text cut in the middle', '{"path":"a.md","mo'],
    ['no object', '"gone"'],
    ['a short value that left', '{"mode":7,"content":"x"}'],
    ['a short value of another type', '{"path":"a.md","mode":"7","content":"x"}'],
  ])('faults %s', (_name, args) => {
    expect(judge('tool-arguments-valid', written(args))).toHaveLength(1)
  })
})

describe('thinking-intact', () => {
  const old = anthropic.assistant(anthropic.thinking('first', 's1'), 'Hello.')
  const open = anthropic.assistant(anthropic.thinking('now', 's2'), anthropic.call('t1', 'run', {}))
  const answer = anthropic.user(anthropic.result('t1', 'one'))
  const input = [ask, old, ask, open, answer]
  it('passes old thinking that left whole, and a cache mark that moved', () => {
    const output = [ask, anthropic.assistant('Hello.'), ask, open, answer]
    expect(judge('thinking-intact', anthropicRun(output, input))).toEqual([])
  })
  it.each([
    [
      'an edited text',
      [ask, anthropic.assistant(anthropic.thinking('fir', 's1'), 'Hi'), open],
      'none of the input',
    ],
    [
      'another signature',
      [ask, anthropic.assistant(anthropic.thinking('first', 'x')), open],
      'none of the input',
    ],
    [
      'an open turn without it',
      [ask, anthropic.assistant(anthropic.call('t1', 'run', {}))],
      'open turn lost',
    ],
  ])('faults %s', (_name, output, detail) => {
    expect(judge('thinking-intact', anthropicRun(output, input)).join()).toContain(detail)
  })
})

describe('cache-marks-legal', () => {
  const marked = { cache_control: { type: 'ephemeral' } }
  const text = { type: 'text', text: 'Hello.', ...marked }
  it('passes four marks', () => {
    expect(
      judge('cache-marks-legal', anthropicRun([anthropic.user(text, text, text, text)])),
    ).toEqual([])
  })
  it.each([
    ['five marks', [text, text, text, text, text]],
    ['a mark inside a result', [text, text, text, text, anthropic.result('t1', [text])]],
    ['a mark on thinking', [{ ...anthropic.thinking('hm', 's'), ...marked }]],
    ['a mark on blank text', [{ ...text, text: ' ' }]],
  ])('faults %s', (_name, blocks) => {
    expect(judge('cache-marks-legal', anthropicRun([anthropic.user(...blocks)]))).toHaveLength(1)
  })
})
