import { describe, expect, test } from 'vitest'
import { type Chat, createChat } from '../../demo/chat/chat.ts'
import { emptyConversation } from '../../demo/chat/conversation.ts'
import type { Provider } from '../../demo/chat/exchange.ts'
import { personaOf } from '../../demo/chat/persona.ts'
import { createSimulator } from '../../demo/simulator/simulator.ts'
import { quarterCount } from './chat-request.ts'
import { checkpointMessage, type FakeFit, fakeTamp } from './fake-tamp.ts'

interface Setup {
  readonly fit?: FakeFit
  readonly wait?: () => Promise<void>
}

function setUp({ fit, wait }: Setup = {}) {
  const announced: string[] = []
  const providerFor = (windowTokens: number): Provider =>
    createSimulator({ windowTokens, countTokens: quarterCount, ...(wait && { wait }) })
  const chat = createChat({
    tamp: fakeTamp(fit),
    providerFor,
    start: emptyConversation(),
    announce: (text) => announced.push(text),
  })
  return { chat, announced }
}

function rolesOf({ conversation }: Chat): readonly string[] {
  return conversation.value.messages.map((message) => message.role)
}

const contentsOf = ({ conversation }: Chat) =>
  conversation.value.messages.map((message) => message.content)

describe('a turn', () => {
  test('appends what was said and what was answered', async () => {
    const { chat, announced } = setUp()
    await chat.send('The port is 7443.')
    expect(contentsOf(chat)).toEqual(['The port is 7443.', 'Noted: “The port is 7443.”'])
    expect(chat.usage.value?.completion_tokens).toBe(7)
    expect(chat.activity.value).toBe('idle')
    expect(announced).toEqual(['Reply finished'])
  })

  test('runs the tools that the agent calls until it answers', async () => {
    const { chat } = setUp()
    chat.persona.value = personaOf('sim-agent')
    await chat.send('Read docs/rounding.md')
    expect(rolesOf(chat)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(contentsOf(chat)[3]).toContain('BILL-208')
  })

  test('sends what was fitted, keeps what was said, and notes both', async () => {
    const fit: FakeFit = (messages) => [
      checkpointMessage('The port is 7443.'),
      ...messages.slice(-1),
    ]
    const { chat } = setUp({ fit })
    await chat.send('Which port is it?')
    expect(contentsOf(chat)[0]).toBe('Which port is it?')
    // The mark is not known to this simulator, so it takes the summary for words of the user.
    expect(contentsOf(chat)[1]).toBe('You told me: “The port is 7443.”')
    expect(chat.sent.value?.tailStart).toBe(0)
    expect(chat.answeredFrom.value.get(1)?.tokensAfter).toBeGreaterThan(0)
  })

  test('does not send a blank message', async () => {
    const { chat } = setUp()
    await chat.send(' \n')
    expect(chat.conversation.value.messages).toEqual([])
  })
})

describe('a failure', () => {
  test('of fitting is shown, and the message can be changed', async () => {
    const { chat } = setUp({
      fit: () => {
        throw Object.assign(new Error('no'), { code: 'cannot-fit', details: { cause: 'newest' } })
      },
    })
    await chat.send('too long')
    expect(chat.failure.value?.title).toBe('This request cannot be made to fit')
    chat.takeBack()
    expect(chat.draft.value).toBe('too long')
    expect(chat.conversation.value.messages).toEqual([])
    expect(chat.failure.value).toBeUndefined()
  })

  test('of the engine lets the request go out as it is', async () => {
    const { chat } = setUp({
      fit: () => {
        throw Object.assign(new Error('gone'), { code: 'engine-lost', details: {} })
      },
    })
    await chat.send('The port is 7443.')
    expect(contentsOf(chat)[1]).toBe('Noted: “The port is 7443.”')
    expect(chat.sent.value?.report).toBeUndefined()
  })

  test('of the provider is shown in its words, and can be tried again in a larger window', async () => {
    const { chat } = setUp()
    chat.windowTokens.value = 4096
    await chat.send('x'.repeat(4 * 4096))
    expect(chat.failure.value?.text).toContain(
      "This model's maximum context length is 4096 tokens.",
    )
    chat.windowTokens.value = 8192
    await chat.retry()
    expect(chat.failure.value).toBeUndefined()
    expect(rolesOf(chat)).toEqual(['user', 'assistant'])
  })
})

describe('stopping', () => {
  /** Lets so many pieces through and then waits until the test ends. */
  function stalling(pieces: number) {
    let left = pieces
    let report = () => {}
    const stalled = new Promise<void>((resolve) => {
      report = resolve
    })
    const wait = () => {
      left -= 1
      if (left >= 0) return Promise.resolve()
      report()
      return new Promise<void>(() => {})
    }
    return { wait, stalled }
  }

  test('keeps what had arrived', async () => {
    const { wait, stalled } = stalling(4)
    const { chat, announced } = setUp({ wait })
    void chat.send('The port is 7443.')
    await stalled
    await expect.poll(() => chat.partial.value?.text).toBe('Noted: “The port ')
    chat.stop()
    expect(contentsOf(chat)).toEqual(['The port is 7443.', 'Noted: “The port '])
    expect(chat.activity.value).toBe('idle')
    expect(announced).toEqual(['Stopped'])
    expect(chat.failure.value).toBeUndefined()
  })

  test('leaves nothing behind when another conversation is opened', async () => {
    const { wait, stalled } = stalling(1)
    const { chat } = setUp({ wait })
    void chat.send('The port is 7443.')
    await stalled
    chat.startNew()
    expect(chat.conversation.value.messages).toEqual([])
    expect(chat.activity.value).toBe('idle')
  })
})

test('measures nothing before the first message, and the whole context after it', async () => {
  const { chat } = setUp()
  expect(chat.measurement.value).toBeUndefined()
  await chat.send('The port is 7443.')
  await expect.poll(() => chat.measurement.value?.totalTokens).toBeGreaterThan(40)
})

test('does not send a conversation that the simulator cannot continue, but fits it', async () => {
  const { chat } = setUp()
  chat.open({
    ...emptyConversation(),
    format: 'anthropic-messages',
    origin: 'file',
    messages: [{ role: 'user', content: 'hi' }],
  })
  await chat.send('hello')
  expect(chat.conversation.value.messages).toHaveLength(1)
  await chat.fitTo(100)
  expect(chat.sent.value?.fitted.messages).toEqual([{ role: 'user', content: 'hi' }])
})
