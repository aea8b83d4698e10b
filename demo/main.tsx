import { effect } from '@preact/signals'
import { render } from 'preact'
import { createTamp, type Tamp } from 'tamp'
import { followAddress, idInAddress } from './address.ts'
import { createChat, type Start } from './chat/chat.ts'
import { createLibrary } from './chat/library.ts'
import { createNotices, watchEngine } from './chat/notices.ts'
import { emptyOpening, type Opening } from './chat/opening.ts'
import { personaChoices } from './chat/persona.ts'
import { createSettingsStore } from './chat/settings.ts'
import { windowsByModel } from './chat/window.ts'
import { App } from './components/app.tsx'
import { createPageProvider } from './provider.ts'
import { migrationSample } from './samples/migration.ts'
import { compactionSentence } from './view/compaction.ts'
import { createWorkerSlot } from './worker-slot.ts'

declare global {
  interface Window {
    /** For end-to-end tests and for the curious: the Tamp of the page, and a way to kill its worker. */
    tampDemo: { readonly tamp: Tamp; readonly killWorker: () => void }
  }
}

const slot = createWorkerSlot()
const tamp = createTamp({
  worker: slot.create,
  store: { name: 'tamp-demo' },
  window: windowsByModel(personaChoices.map(({ model }) => model)),
})
const notices = createNotices()
watchEngine(tamp, notices)
const announce = (text: string) => {
  notices.announcement.value = text
}
const settings = createSettingsStore(
  () => localStorage,
  (reason) => {
    notices.notice.value = `The browser keeps no settings of this page: ${reason}`
  },
)
const newId = () => crypto.randomUUID()

/** What a conversation shows before its store was read: the sample is stored by its first request only. */
function openingOf(id: string): Opening {
  return settings.read(id)?.about.origin === 'sample' ? migrationSample() : emptyOpening()
}

/** The address decides, then what was open last; a first visit begins with the sample. */
function startOf(): Start {
  const id = idInAddress(location.hash) ?? settings.lastId()
  if (id === undefined) return { id: newId(), opening: migrationSample(), isNew: true }
  return { id, opening: openingOf(id) }
}

const chat = createChat({
  tamp,
  settings,
  newId,
  announce,
  providerFor: createPageProvider(tamp),
  start: startOf(),
})
const library = createLibrary(chat, { tamp, settings, newId, announce })
followAddress(chat, settings, openingOf)

effect(() => {
  const sentence = chat.sent.value && compactionSentence(chat.sent.value)
  if (sentence !== undefined) announce(`${sentence} Undo available.`)
})
effect(() => {
  // Whatever was stored may have changed the list, and so may another tab.
  chat.conversation.value
  chat.snapshot.value?.revision
  void library.refresh()
})
addEventListener('focus', () => void library.refresh())

window.tampDemo = { tamp, killWorker: slot.kill }

const root = document.getElementById('app')
if (root !== null) render(<App chat={chat} library={library} notices={notices} />, root)
