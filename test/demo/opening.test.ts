import { describe, expect, test } from 'vitest'
import { createChat, type Start } from '../../demo/chat/chat.ts'
import { emptyOpening, type Opening } from '../../demo/chat/opening.ts'
import { isUnanswered } from '../../demo/chat/path.ts'
import { createSimulator } from '../../demo/simulator/simulator.ts'
import { openTitle } from '../../demo/view/title.ts'
import { quarterCount } from './chat-request.ts'
import { FakeLog } from './fake-conversation.ts'
import { fakeSettings } from './fake-settings.ts'
import { type FakeStore, fakeTamp } from './fake-tamp.ts'

const sample: Opening = {
  ...emptyOpening(),
  origin: 'sample',
  messages: [{ role: 'user', content: 'What a sample begins with' }],
}

/** Opens a chat whose store holds one message and answers when it is told to. */
function setUp(isNew: boolean) {
  const log = new FakeLog()
  log.tip = log.append(-1, { role: 'user', content: 'The port is 7443.' })
  let answer = () => {}
  log.reading = new Promise<void>((resolve) => {
    answer = resolve
  })
  const start: Start = { id: 'first', opening: sample, isNew }
  const store: FakeStore = isNew ? new Map() : new Map([['first', log]])
  const chat = createChat({
    tamp: fakeTamp(undefined, store),
    providerFor: (windowTokens) => createSimulator({ windowTokens, countTokens: quarterCount }),
    settings: fakeSettings(),
    newId: () => 'new-1',
    start,
    announce: () => {},
  })
  return { chat, answer }
}

describe('a conversation that may be stored', () => {
  test('is opening until what is stored is shown', async () => {
    const { chat, answer } = setUp(false)
    expect(chat.isOpening.value).toBe(true)
    expect(openTitle(chat)).toBe('Opening…')
    answer()
    await expect.poll(() => chat.isOpening.value).toBe(false)
    expect(chat.path.value.map(({ native }) => native.content)).toEqual(['The port is 7443.'])
    expect(openTitle(chat)).toBe('The port is 7443.')
  })

  test('is left while it opens without touching the next one', async () => {
    const { chat, answer } = setUp(false)
    chat.startNew()
    answer()
    await chat.send('The harbour code is teal-heron-58.')
    expect(chat.path.value[0]?.native.content).toBe('The harbour code is teal-heron-58.')
    expect(chat.isOpening.value).toBe(false)
  })
})

test('a new conversation shows at once what it begins with and what is said', () => {
  const { chat } = setUp(true)
  expect(chat.isOpening.value).toBe(false)
  void chat.send('And the port?')
  return expect.poll(() => chat.path.value.length).toBeGreaterThan(1)
})

test('measuring is over once there is a measurement', async () => {
  const { chat } = setUp(true)
  expect(chat.isMeasuring.value).toBe(true)
  await expect.poll(() => chat.isMeasuring.value).toBe(false)
  expect(chat.measurement.value?.totalTokens).toBeGreaterThan(0)
})

test('what ends with a message of the person can be answered as it is', async () => {
  const { chat } = setUp(true)
  await chat.openFile({ ...sample, origin: 'file', title: 'talk.json' })
  expect(isUnanswered(chat.path.value)).toBe(true)
  await chat.retry()
  expect(chat.path.value.map(({ native }) => native.role)).toEqual(['user', 'assistant'])
  expect(isUnanswered(chat.path.value)).toBe(false)
})
