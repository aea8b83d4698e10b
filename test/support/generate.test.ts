import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { damageNames } from './generate/damage.ts'
import {
  conversations,
  type GeneratedConversation,
  lawParameters,
  lawTimeoutMs,
} from './generate.ts'
import { blocksOf, callsOf, type Native, resultsOf } from './native.ts'
import { brokenRules, refusals } from './oracle.ts'
import { textsOfRequest } from './texts.ts'

const formats = ['openai-chat', 'anthropic-messages'] as const

describe.each(formats)('generated conversations of %s', (format) => {
  it(
    'are accepted by the provider in legal mode',
    () => {
      fc.assert(
        fc.property(conversations({ format }), ({ request, damages }) => {
          expect(damages).toEqual([])
          expect(refusals(format, request)).toEqual([])
        }),
        lawParameters,
      )
    },
    lawTimeoutMs,
  )

  it('are equal for the same seed, and plain data', () => {
    const sample = (): GeneratedConversation[] =>
      fc.sample(conversations({ format }), { seed: 7, numRuns: 20 })
    expect(sample()).toEqual(sample())
    fc.assert(
      fc.property(conversations({ format, mode: 'damaged' }), ({ request }) => {
        expect(JSON.parse(JSON.stringify(request))).toEqual(request)
      }),
      { numRuns: 50 },
    )
  })

  const legal = fc.sample(conversations({ format }), { seed: 1, numRuns: 1500 })
  const damaged = fc.sample(conversations({ format, mode: 'damaged' }), { seed: 2, numRuns: 1500 })

  it('have ten to twenty messages on average', () => {
    const average =
      legal.reduce((sum, { request }) => sum + request.messages.length, 0) / legal.length
    expect(average).toBeGreaterThan(10)
    expect(average).toBeLessThan(20)
  })

  it('are broken by most damages, and by each kind of damage at least once', () => {
    const broken = damaged.filter(({ request }) => refusals(format, request).length > 0)
    expect(broken.length / damaged.length).toBeGreaterThan(0.4)
    const done = new Set(damaged.flatMap(({ damages }) => damages))
    expect([...done].sort()).toEqual([...damageNames].sort())
  })

  it.each(rulesThatOccur[format])('break the rule %s at times', (rule) => {
    const found = damaged.filter(({ request }) =>
      brokenRules(format, request).some((broken) => broken.rule === rule),
    )
    expect(found.length).toBeGreaterThan(0)
  })

  it.each(Object.entries({ ...traits, ...traitsOf[format] }))('hold %s', (_name, has) => {
    const found = legal.filter(({ request }) =>
      has(request.messages, textsOfRequest(request).join('\n')),
    )
    expect(found.length).toBeGreaterThan(2)
  })
})

type Trait = (messages: readonly Native[], text: string) => boolean

const rulesThatOccur: Readonly<Record<(typeof formats)[number], readonly string[]>> = {
  'openai-chat': [
    ...[
      'call-unanswered',
      'result-without-call',
      'result-twice',
      'id-not-unique',
      'first-is-no-user',
    ],
    ...['ends-without-user', 'empty-content', 'empty-result'],
  ],
  'anthropic-messages': [
    ...[
      'call-unanswered',
      'result-without-call',
      'result-twice',
      'id-twice-in-turn',
      'results-not-first',
    ],
    ...['server-result-without-call', 'blank-text', 'empty-message', 'signature-missing'],
    ...['too-many-cache-marks', 'loop-without-thinking', 'first-is-no-user', 'ends-without-user'],
    ...['empty-result', 'thinking-alone'],
  ],
}

const hasBlock =
  (type: RegExp): Trait =>
  (messages) =>
    messages.flatMap(blocksOf).some((block) => type.test(String(block.type)))

const traits: Readonly<Record<string, Trait>> = {
  'parallel calls': (messages) => messages.some((message) => callsOf(message).length > 1),
  'calls about to run': (messages) => callsOf(messages.at(-1)).length > 0,
  'neighbours of one role': (messages) =>
    messages.some((message, at) => message.role === 'user' && messages[at + 1]?.role === 'user'),
  'system messages in the middle': (messages) =>
    messages.slice(1).some(({ role }) => role === 'system' || role === 'developer'),
  'results longer than all else': (messages) =>
    messages.flatMap(resultsOf).some(({ texts }) => texts.join('').length > 4000),
  'empty results': (messages) =>
    messages.flatMap(resultsOf).some(({ texts }) => texts.join('') === ''),
  'JSON results': (messages) =>
    messages.flatMap(resultsOf).some(({ texts }) => /^[[{]"?/.test(texts[0] ?? '')),
  'unknown parts': hasBlock(/^x_card$/),
  images: hasBlock(/^image/),
  'repeated reads of one file': (messages) =>
    mostEqual(
      messages
        .flatMap(callsOf)
        .filter((call) => call.tool === 'read_file')
        .map((call) => call.argumentsText),
    ) > 2,
  'repeated failures': (messages) =>
    mostEqual(
      messages
        .flatMap(resultsOf)
        .flatMap(({ texts }) => texts)
        .filter((text) => text.startsWith('error')),
    ) > 2,
  'Chinese, Japanese or Korean': (_messages, text) =>
    /\p{Script=Han}|\p{Script=Hangul}/u.test(text),
  'joined emoji': (_messages, text) => text.includes('👩‍🔧'),
  'right-to-left text': (_messages, text) => /\p{Script=Hebrew}|\p{Script=Arabic}/u.test(text),
  'control tokens as text': (_messages, text) => text.includes('<|endoftext|>'),
  'marks and fences as text': (_messages, text) =>
    /\[end of tamp checkpoint\]|<\/transcript>/.test(text),
  'ids beyond 2^53': (_messages, text) => /25122920421210000\d/.test(text),
}

const traitsOf: Readonly<Record<(typeof formats)[number], Readonly<Record<string, Trait>>>> = {
  'openai-chat': {
    'null content': (messages) => messages.some((message) => message.content === null),
    'absent content': (messages) => messages.some((message) => !('content' in message)),
    'blank content': (messages) =>
      messages.some(({ content }) => typeof content === 'string' && content.trim() === ''),
    names: (messages) => messages.some((message) => message.role === 'user' && 'name' in message),
    'unknown fields': (messages) => messages.some((message) => 'metadata' in message),
    files: hasBlock(/^file$/),
  },
  'anthropic-messages': {
    'signed thinking': hasBlock(/^thinking$/),
    'redacted thinking': hasBlock(/^redacted_thinking$/),
    'server tools': hasBlock(/^server_tool_use$/),
    'compaction blocks': hasBlock(/^compaction$/),
    documents: hasBlock(/^document$/),
    'cache marks': (messages) =>
      messages.flatMap(blocksOf).some((block) => 'cache_control' in block),
    'string content': (messages) => messages.some(({ content }) => typeof content === 'string'),
    'failed results': (messages) => messages.flatMap(resultsOf).some((result) => result.isError),
    'images inside results': (messages) =>
      messages
        .flatMap(blocksOf)
        .flatMap(blocksOf)
        .some((block) => block.type === 'image'),
  },
}

function mostEqual(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => texts.filter((other) => other === text).length))
}
