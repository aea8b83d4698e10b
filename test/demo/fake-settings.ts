import { createSettingsStore, type SettingsStore } from '../../demo/chat/settings.ts'

/** Settings over a storage that lives as long as the test. */
export function fakeSettings(): SettingsStore {
  const texts = new Map<string, string>()
  const storage = {
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: (key: string, text: string) => {
      texts.set(key, text)
    },
    removeItem: (key: string) => {
      texts.delete(key)
    },
  }
  return createSettingsStore(
    () => storage,
    (reason) => {
      throw new Error(reason)
    },
  )
}
