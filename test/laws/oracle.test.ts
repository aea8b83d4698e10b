import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Format } from '../../src/core/model.ts'
import { conversations, lawParameters, lawTimeoutMs } from '../support/generate.ts'
import { judge } from '../support/judge.ts'
import { callsOf, isRecord, type Native, resultsOf } from '../support/native.ts'
import { brokenRules, refusals } from '../support/oracle.ts'

const formats: readonly Format[] = ['openai-chat', 'anthropic-messages']

/** Runs a law on legal conversations of a format; those with calls about to run are left out. */
function onClosed(format: Format, law: (messages: readonly Native[]) => void): void {
  fc.assert(
    fc.property(conversations({ format }), ({ request }) => {
      fc.pre(callsOf(request.messages.at(-1)).length === 0)
      law(request.messages)
    }),
    lawParameters,
  )
}

const rulesOf = (format: Format, messages: readonly Native[]): string[] =>
  refusals(format, { messages }).map(({ rule }) => rule)

describe.each(formats)('oracle of %s', (format) => {
  it(
    'accepts one more user message behind a closed history',
    () => {
      onClosed(format, (messages) => {
        expect(rulesOf(format, [...messages, { role: 'user', content: 'Go on.' }])).toEqual([])
      })
    },
    lawTimeoutMs,
  )

  it(
    'accepts results whose text was shortened',
    () => {
      onClosed(format, (messages) => {
        expect(rulesOf(format, messages.map(shortenResults))).toEqual([])
      })
    },
    lawTimeoutMs,
  )

  it(
    'refuses a history that lost any one of its results',
    () => {
      onClosed(format, (messages) => {
        const ids = messages.flatMap(resultsOf).map((result) => result.callId)
        for (const id of ids) {
          const left = messages.flatMap((message) => withoutResult(message, id))
          expect(rulesOf(format, [...left, { role: 'user', content: 'Go on.' }])).toContain(
            'call-unanswered',
          )
        }
      })
    },
    lawTimeoutMs,
  )

  it(
    'refuses a history that lost any one of its calls',
    () => {
      onClosed(format, (messages) => {
        for (const { callId } of messages.flatMap(callsOf)) {
          const left = messages.map((message) => withoutCall(message, callId))
          expect(rulesOf(format, left)).toContain('result-without-call')
        }
      })
    },
    lawTimeoutMs,
  )
})

describe('oracle and checker', () => {
  const pairing = new Set(['call-unanswered', 'result-without-call', 'result-twice'])

  it(
    'agree on the pairs of damaged OpenAI histories',
    () => {
      fc.assert(
        fc.property(conversations({ format: 'openai-chat', mode: 'damaged' }), ({ request }) => {
          const { messages } = request
          const ids = messages.flatMap(callsOf).map((call) => call.callId)
          // An id used twice is a rule of its own to the oracle, and an ambiguous pair to the checker.
          fc.pre(new Set(ids).size === ids.length)
          const broken = brokenRules('openai-chat', request).some(({ rule }) => pairing.has(rule))
          const problems = judge('tool-pairs-legal', { input: messages, output: messages })
          expect(problems.length > 0).toBe(broken)
        }),
        lawParameters,
      )
    },
    lawTimeoutMs,
  )
})

function blocks(message: Native): Native[] {
  return Array.isArray(message.content) ? message.content.filter(isRecord) : []
}

function shortenResults(message: Native): Native {
  if (message.role === 'tool') return { ...message, content: '[cut]' }
  if (resultsOf(message).length === 0) return message
  const content = blocks(message).map((block) =>
    block.type === 'tool_result' ? { ...block, content: '[cut]' } : block,
  )
  return { ...message, content }
}

function withoutResult(message: Native, callId: string): Native[] {
  if (message.role === 'tool') return message.tool_call_id === callId ? [] : [message]
  if (resultsOf(message).length === 0) return [message]
  const content = blocks(message).filter((block) => block.tool_use_id !== callId)
  return content.length === 0 ? [] : [{ ...message, content }]
}

function withoutCall(message: Native, callId: string): Native {
  if (Array.isArray(message.tool_calls)) {
    const calls = message.tool_calls.filter((call) => isRecord(call) && call.id !== callId)
    return { ...message, tool_calls: calls }
  }
  if (callsOf(message).length === 0) return message
  const content = blocks(message).filter((block) => block.id !== callId)
  return { ...message, content: content.length === 0 ? [{ type: 'text', text: 'Gone.' }] : content }
}
