import { afterEach, describe, expect, it } from 'vitest'
import { localEngine } from '../../src/entries/local.ts'
import { createTamp, type Tamp } from '../../src/index.ts'
import { memoryStore } from '../../src/storage/memory-store.ts'
import { openai } from '../support/build.ts'

/** Long enough for a slow machine, far too short for anything that is quadratic in these. */
const TIMEOUT_MS = 120_000
const WINDOW = 100_000

let tamp: Tamp | undefined

afterEach(async () => {
  await tamp?.close()
})

/** What comes before and behind a message of the middle that nothing protects. */
const around = (text: string) => [
  openai.user('Read this.'),
  openai.assistant('Send it.'),
  openai.user(text),
  openai.assistant('I have it.'),
  openai.user('What was it?'),
]

const everyCodePoint = () => {
  const pieces: string[] = []
  for (let code = 0; code < 0x110000; code++) {
    if (code < 0xd800 || code > 0xdfff) pieces.push(String.fromCodePoint(code))
  }
  return pieces.join('')
}

const binary = () =>
  Array.from({ length: 3_000_000 }, (_, at) => String.fromCharCode((at * 7919) % 256)).join('')

describe('what nobody would send', () => {
  it.each([
    ['a text of 10 MB', () => 'Lorem ipsum dolor sit amet, at vero eos.\n'.repeat(250_000)],
    ['one character ten million times', () => 'a'.repeat(10_000_000)],
    ['binary as text', binary],
    ['every code point', everyCodePoint],
  ])(
    '%s is counted, compacted and goes on',
    async (_, make) => {
      const chat = conversation()
      const messages = around(make())
      const { request, report } = await chat.prepare({ model: 'gpt-4o', messages })
      expect(report.outcome).toBe('compacted')
      expect(report.tokensBefore).toBeGreaterThan(WINDOW)
      expect(report.tokensAfter).toBeLessThan(WINDOW)
      expect(request.messages.length).toBeGreaterThan(0)
      const more = [...messages, openai.assistant('That.'), openai.user('And now?')]
      const next = await chat.prepare({ model: 'gpt-4o', messages: more })
      expect(next.report.outcome).toBe('unchanged')
    },
    TIMEOUT_MS,
  )

  it(
    'a newest message of three million characters is cut to what fits',
    async () => {
      const messages = [openai.user('x'.repeat(3_000_000))]
      const { report } = await conversation().prepare({ model: 'gpt-4o', messages })
      expect(report.shortened).toHaveLength(1)
      expect(report.tokensAfter).toBeLessThan(WINDOW)
    },
    TIMEOUT_MS,
  )

  it(
    'a hundred thousand empty messages go',
    async () => {
      const empty = Array.from({ length: 100_000 }, (_, at) =>
        at % 2 === 0 ? openai.user('') : openai.assistant(''),
      )
      const messages = [...empty, openai.user('Is anyone there?')]
      const { report } = await conversation().prepare({ model: 'gpt-4o', messages })
      expect(report.outcome).toBe('compacted')
      expect(report.tokensAfter).toBeLessThan(100)
    },
    TIMEOUT_MS,
  )
})

function conversation() {
  tamp = createTamp({ engine: localEngine({ store: () => memoryStore() }), window: WINDOW })
  return tamp.conversation('odd')
}
