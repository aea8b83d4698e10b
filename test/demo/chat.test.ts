import { describe, expect, test } from 'vitest'
import { type Chat, createChat } from '../../demo/chat/chat.ts'
import type { Provider } from '../../demo/chat/exchange.ts'
import { emptyOpening, type Opening } from '../../demo/chat/opening.ts'
import { personaOf } from '../../demo/chat/persona.ts'
import { createSimulator } from '../../demo/simulator/simulator.ts'
import { quarterCount } from './chat-request.ts'
import { fakeSettings } from './fake-settings.ts'
import { checkpointMessage, type FakeFit, type FakeStore, fakeTamp } from './fake-tamp.ts'

interface Setup {
  readonly fit?: FakeFit
  readonly wait?: () => Promise<void>
  /** What was there before; a second chat over the same store is a reload, or another tab. */
  readonly store?: FakeStore
  readonly opening?: Opening
}

function setUp({ fit, wait, store = new Map(), opening = emptyOpening() }: Setup = {}) {
  const announced: string[] = []
  const settings = fakeSettings()
  let ids = 0
  const providerFor = (windowTokens: number): Provider =>
    createSimulator({ windowTokens, countTokens: quarterCount, ...(wait && { wait }) })
  const chat = createChat({
    tamp: fakeTamp(fit, store),
    providerFor,
    settings,
    newId: () => {
      ids += 1
      return `new-${ids}`
    },
    start: { id: 'first', opening },
    announce: (text) => announced.push(text),
  })
  return { chat, announced, store, settings }
}

const rolesOf = ({ path }: Chat) => path.value.map(({ native }) => native.role)

const contentsOf = ({ path }: Chat) => path.value.map(({ native }) => native.content)

/** A promise that the test settles. */
function deferred() {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

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
    expect(chat.compactions.value).toHaveLength(1)
    expect(chat.answeredFrom.value.get(1)?.tokensAfter).toBeGreaterThan(0)
  })

  test('does not send a blank message', async () => {
    const { chat } = setUp()
    await chat.send(' \n')
    expect(chat.path.value).toEqual([])
  })
})

describe('a failure', () => {
  test('of fitting is shown, and the message can be changed', async () => {
    const { chat } = setUp({
      fit: (messages) => {
        if (messages.length === 2 && messages[1]?.content !== 'too long') return messages
        throw Object.assign(new Error('no'), { code: 'cannot-fit', details: { cause: 'newest' } })
      },
    })
    await chat.send('too long')
    expect(chat.failure.value?.title).toBe('This request cannot be made to fit')
    chat.edit(0)
    expect(chat.draft.value).toBe('too long')
    expect(chat.failure.value).toBeUndefined()
    await chat.send('The port is 7443.')
    expect(contentsOf(chat)).toEqual(['The port is 7443.', 'Noted: “The port is 7443.”'])
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
    expect(chat.path.value).toEqual([])
    expect(chat.activity.value).toBe('idle')
  })
})

test('measures nothing before the first message, and the whole context after it', async () => {
  const { chat } = setUp()
  expect(chat.measurement.value).toBeUndefined()
  await chat.send('The port is 7443.')
  await expect.poll(() => chat.measurement.value?.totalTokens).toBeGreaterThan(40)
})

test('measures again when only the model changes', async () => {
  const { chat } = setUp()
  await chat.send('The port is 7443.')
  const before = chat.measurement.value?.totalTokens ?? 0
  chat.persona.value = personaOf('sim-agent')
  await expect.poll(() => chat.measurement.value?.totalTokens).toBeGreaterThan(before)
})

test('does not send a conversation that the simulator cannot continue, but fits it', async () => {
  const { chat } = setUp()
  const messages = [{ role: 'user', content: 'hi' }]
  await chat.openFile({
    ...emptyOpening(),
    format: 'anthropic-messages',
    origin: 'file',
    messages,
  })
  await chat.send('hello')
  expect(chat.path.value).toHaveLength(1)
  await chat.fitTo(100)
  expect(chat.sent.value?.fitted.messages).toEqual(messages)
})

describe('a reload', () => {
  test('shows what was said, and goes on from it with the same request', async () => {
    const { chat, store } = setUp()
    await chat.send('The port is 7443.')
    const { chat: reloaded } = setUp({ store })
    await reloaded.send('Which port is it?')
    expect(contentsOf(reloaded)[3]).toBe('You told me: “The port is 7443.”')
    const { chat: unbroken } = setUp()
    await unbroken.send('The port is 7443.')
    await unbroken.send('Which port is it?')
    expect(JSON.stringify(reloaded.sent.value?.fitted)).toBe(
      JSON.stringify(unbroken.sent.value?.fitted),
    )
  })

  test('sends nothing before it knows what was said', async () => {
    const { chat, store } = setUp()
    await chat.send('The port is 7443.')
    const { chat: reloaded } = setUp({ store })
    // The store tells of itself while it is read, which begins another reading.
    const { promise: reading, resolve: goOn } = deferred()
    Object.assign(store.get('first') ?? {}, { reading })
    store.get('first')?.changed()
    const sending = reloaded.send('Which port is it?')
    await new Promise(setImmediate)
    goOn()
    await sending
    expect(contentsOf(reloaded)[3]).toBe('You told me: “The port is 7443.”')
  })

  test('in the middle of a reply shows what came through, and the talk goes on from there', async () => {
    const { wait, stalled } = stalling(4)
    const { chat, store } = setUp({ wait })
    void chat.send('The port is 7443.')
    await stalled
    await expect.poll(() => chat.partial.value?.text).toBe('Noted: “The port ')
    const { chat: reloaded } = setUp({ store })
    await expect.poll(() => reloaded.path.value.at(-1)?.interrupted).toBe(true)
    expect(contentsOf(reloaded)).toEqual(['The port is 7443.', 'Noted: “The port '])
    await reloaded.send('Which port is it?')
    expect(rolesOf(reloaded)).toEqual(['user', 'assistant', 'user', 'assistant'])
    expect(contentsOf(reloaded)[3]).toBe('You told me: “The port is 7443.”')
  })

  test('in the middle of a reply lets it be asked for again', async () => {
    const { wait, stalled } = stalling(4)
    const { chat, store } = setUp({ wait })
    void chat.send('The port is 7443.')
    await stalled
    const { chat: reloaded } = setUp({ store })
    await expect.poll(() => reloaded.path.value.at(-1)?.interrupted).toBe(true)
    await reloaded.regenerate(1)
    expect(contentsOf(reloaded)).toEqual(['The port is 7443.', 'Noted: “The port is 7443.”'])
    expect(reloaded.path.value[1]?.interrupted).toBe(false)
  })

  test('between a call and its result runs the call', async () => {
    const { chat, store } = setUp()
    chat.persona.value = personaOf('sim-agent')
    await chat.send('Read docs/rounding.md')
    const log = store.get('first')
    if (log === undefined) throw new Error('nothing was stored')
    log.tip = 1
    const { chat: reloaded } = setUp({ store })
    reloaded.persona.value = personaOf('sim-agent')
    await expect.poll(() => rolesOf(reloaded)).toEqual(['user', 'assistant'])
    await reloaded.retry()
    expect(rolesOf(reloaded)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  })

  test('finds model, window and kind of the conversation as they were', async () => {
    const { chat, settings } = setUp()
    chat.persona.value = personaOf('sim-agent')
    chat.windowTokens.value = 4096
    await chat.send('The port is 7443.')
    chat.startNew()
    expect(chat.path.value).toEqual([])
    chat.windowTokens.value = 16_384
    chat.open('first')
    expect(chat.persona.value.model).toBe('sim-agent')
    expect(chat.windowTokens.value).toBe(4096)
    expect(settings.read('new-1')).toBeUndefined()
  })
})

describe('a branch', () => {
  test('begins where a message is edited, and each can be shown', async () => {
    const { chat } = setUp()
    await chat.send('The port is 7443.')
    chat.edit(0)
    await chat.send('The port is 9000.')
    expect(chat.path.value[0]?.branches).toEqual([0, 2])
    await chat.showBranch(0)
    expect(contentsOf(chat)).toEqual(['The port is 7443.', 'Noted: “The port is 7443.”'])
    await chat.send('Which port is it?')
    expect(contentsOf(chat).at(-1)).toBe('You told me: “The port is 7443.”')
  })

  test('begins where a reply is asked for anew, in other words', async () => {
    const { chat } = setUp()
    await chat.send('The port is 7443.')
    await chat.regenerate(1)
    expect(contentsOf(chat)[1]).toBe('Understood: “The port is 7443.”')
    expect(chat.path.value[1]?.branches).toEqual([1, 2])
  })

  test('is not begun where the edit is given up', async () => {
    const { chat } = setUp()
    await chat.send('The port is 7443.')
    chat.edit(0)
    chat.cancelEdit()
    await chat.send('Which port is it?')
    expect(chat.path.value).toHaveLength(4)
  })
})

describe('a compaction', () => {
  const folding: FakeFit = (messages) => [checkpointMessage('short'), ...messages.slice(-1)]

  test('can be undone and brought back', async () => {
    const { chat, announced } = setUp({ fit: folding })
    await chat.send('The port is 7443.')
    await chat.undo()
    expect(chat.compactions.value[0]?.undone).toBe(true)
    expect(chat.snapshot.value?.canRedo).toBe(true)
    await chat.redo()
    expect(chat.compactions.value[0]?.undone).toBe(false)
    expect(announced.slice(1)).toEqual([
      'Compaction undone. Redo available.',
      'Compaction redone. Undo available.',
    ])
  })

  test('leaves the full history countable', async () => {
    const { chat } = setUp({ fit: folding })
    await chat.send('The port is 7443.')
    await chat.send('Which port is it?')
    const { full, fitted } = chat.sent.value ?? {}
    if (full === undefined) throw new Error('nothing was sent')
    const said = full.messages.map(({ content }) => String(content)).join('')
    expect(await chat.countHistory(full)).toBe(said.length)
    expect(fitted?.messages.length).toBeLessThan(full.messages.length)
  })

  test('by hand that finds nothing to do says so', async () => {
    const { chat } = setUp()
    await chat.send('The port is 7443.')
    await chat.compactNow('')
    expect(chat.failure.value?.title).toBe('Nothing was compacted.')
    expect(chat.activity.value).toBe('idle')
  })
})

describe('two tabs', () => {
  test('show the messages of both, each once', async () => {
    const { chat, store } = setUp()
    const { chat: other } = setUp({ store })
    await chat.send('The port is 7443.')
    await expect.poll(() => contentsOf(other)).toHaveLength(2)
    await other.send('Which port is it?')
    await expect.poll(() => contentsOf(chat)).toEqual(contentsOf(other))
    expect(contentsOf(chat)).toHaveLength(4)
  })

  test('say so when the other one deleted the conversation', async () => {
    const { chat, store } = setUp()
    await chat.send('The port is 7443.')
    await fakeTamp(undefined, store).conversation('first').delete()
    await expect.poll(() => chat.failure.value?.title).toBe('This conversation was deleted')
  })
})
