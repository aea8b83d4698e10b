import { expect, test } from 'vitest'
import { emptyOpening } from '../../demo/chat/opening.ts'
import { personaOf } from '../../demo/chat/persona.ts'
import { createSettingsStore } from '../../demo/chat/settings.ts'
import { fakeSettings } from './fake-settings.ts'

const { messages: _, ...about } = emptyOpening()
const settings = { about, persona: personaOf('sim-agent'), windowTokens: 4096 } as const

test('gives back what was kept of a conversation, until it is removed', () => {
  const store = fakeSettings()
  expect(store.read('a')).toBeUndefined()
  store.write('a', settings)
  expect(store.read('a')).toEqual({ ...settings, about: { ...about, title: undefined } })
  store.remove('a')
  expect(store.read('a')).toBeUndefined()
})

test('remembers what was open last', () => {
  const store = fakeSettings()
  expect(store.lastId()).toBeUndefined()
  store.rememberLast('a')
  expect(store.lastId()).toBe('a')
})

test('goes on without a storage, and says why', () => {
  const refused: string[] = []
  const denied = () => {
    throw new Error('access denied')
  }
  const store = createSettingsStore(denied, (reason) => refused.push(reason))
  store.write('a', settings)
  expect(store.read('a')).toBeUndefined()
  expect(refused).toEqual(['access denied', 'access denied'])
})

test('takes a damaged entry for none, and says so', () => {
  const refused: string[] = []
  const storage = { getItem: () => '{', setItem: () => {}, removeItem: () => {} }
  const store = createSettingsStore(
    () => storage,
    (reason) => refused.push(reason),
  )
  expect(store.read('a')).toBeUndefined()
  expect(refused).toHaveLength(1)
})
