import { describe, expect, test } from 'vitest'
import { createChat } from '../../demo/chat/chat.ts'
import { createLibrary } from '../../demo/chat/library.ts'
import { emptyOpening } from '../../demo/chat/opening.ts'
import { createSimulator } from '../../demo/simulator/simulator.ts'
import { openTitle, titleOf } from '../../demo/view/title.ts'
import { quarterCount } from './chat-request.ts'
import { fakeSettings } from './fake-settings.ts'
import { fakeTamp } from './fake-tamp.ts'

function setUp() {
  const tamp = fakeTamp()
  const settings = fakeSettings()
  let ids = 0
  const newId = () => {
    ids += 1
    return `new-${ids}`
  }
  const announced: string[] = []
  const parts = { tamp, settings, newId, announce: (text: string) => announced.push(text) }
  const providerFor = (windowTokens: number) =>
    createSimulator({ windowTokens, countTokens: quarterCount })
  const chat = createChat({
    ...parts,
    providerFor,
    start: { id: 'first', opening: emptyOpening() },
  })
  return { chat, library: createLibrary(chat, parts), settings, announced }
}

const textsOf = ({ chat }: ReturnType<typeof setUp>) =>
  chat.path.value.map(({ native }) => native.content)

describe('the library', () => {
  test('lists what was stored, and nothing before that', async () => {
    const { chat, library } = setUp()
    await library.refresh()
    expect(library.summaries.value).toEqual([])
    await chat.send('The port is 7443.')
    await library.refresh()
    expect(library.summaries.value).toMatchObject([{ id: 'first', preview: 'The port is 7443.' }])
  })

  test('calls a conversation what its own page calls it', async () => {
    const { chat, library } = setUp()
    const titles = () => library.summaries.value.map(({ name, preview }) => titleOf(name, preview))
    await chat.send('The port is 7443. '.repeat(9))
    await library.refresh()
    expect(titles()).toEqual([openTitle(chat)])
    await chat.openFile({
      ...emptyOpening(),
      title: 'talk.json',
      messages: [{ role: 'user', content: 'hi' }],
    })
    await library.refresh()
    expect(openTitle(chat)).toBe('talk.json')
    expect(titles()).toContain('talk.json')
  })

  test('deletes the open conversation and begins a new one', async () => {
    const { chat, library, settings, announced } = setUp()
    await chat.send('The port is 7443.')
    await library.remove('first')
    expect(chat.conversation.value.id).toBe('new-1')
    expect(chat.path.value).toEqual([])
    expect(library.summaries.value).toEqual([])
    expect(settings.read('first')).toBeUndefined()
    expect(announced.at(-1)).toBe('Conversation deleted')
    expect(chat.failure.value).toBeUndefined()
  })

  test('brings an exported conversation back under another name', async () => {
    const parts = setUp()
    const { chat, library } = parts
    await chat.send('The port is 7443.')
    const said = textsOf(parts)
    const file = await library.exportOpen()
    expect(file?.name).toBe('tamp-first.json')
    await library.remove('first')
    await library.importFile(new Blob([file?.text ?? '']))
    await expect.poll(() => textsOf(parts)).toEqual(said)
    expect(library.summaries.value.map(({ id }) => id)).toEqual(['new-2'])
  })

  test('says what is wrong with a file that is no export', async () => {
    const { chat, library } = setUp()
    await library.importFile(new Blob(['{']))
    expect(chat.failure.value?.text).toMatch(/JSON/)
    expect(chat.conversation.value.id).toBe('first')
  })
})
