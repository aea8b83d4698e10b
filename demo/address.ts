import { effect } from '@preact/signals'
import type { Chat } from './chat/chat.ts'
import type { Opening } from './chat/opening.ts'
import type { SettingsStore } from './chat/settings.ts'

const named = /^#c=([\w-]+)$/

/** Gives back the conversation that the page's address names, or `undefined`. */
export function idInAddress(hash: string): string | undefined {
  return named.exec(hash)?.[1]
}

/** Keeps the address in step with the conversation that is open, both ways. */
export function followAddress(
  chat: Chat,
  settings: SettingsStore,
  openingOf: (id: string) => Opening,
): void {
  effect(() => {
    const { id } = chat.conversation.value
    settings.rememberLast(id)
    if (idInAddress(location.hash) === undefined) history.replaceState(null, '', `#c=${id}`)
    else if (idInAddress(location.hash) !== id) location.hash = `c=${id}`
  })
  addEventListener('hashchange', () => {
    const id = idInAddress(location.hash)
    if (id !== undefined && id !== chat.conversation.value.id) chat.open(id, openingOf(id))
  })
}
