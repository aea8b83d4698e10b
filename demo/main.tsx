import { effect } from '@preact/signals'
import { render } from 'preact'
import { createTamp, type Tamp } from 'tamp'
import { createChat } from './chat/chat.ts'
import { createNotices, watchEngine } from './chat/notices.ts'
import { App } from './components/app.tsx'
import { createPageProvider } from './provider.ts'
import { migrationSample } from './samples/migration.ts'
import { compactionSentence, compactionView } from './view/compaction.ts'
import { createWorkerSlot } from './worker-slot.ts'

declare global {
  interface Window {
    /** For end-to-end tests and for the curious: the Tamp of the page, and a way to kill its worker. */
    tampDemo: { readonly tamp: Tamp; readonly killWorker: () => void }
  }
}

const slot = createWorkerSlot()
const tamp = createTamp({ worker: slot.create })
const notices = createNotices()
watchEngine(tamp, notices)

const chat = createChat({
  tamp,
  providerFor: createPageProvider(tamp),
  start: migrationSample(),
  announce: (text) => {
    notices.announcement.value = text
  },
})

effect(() => {
  const view = compactionView(chat.sent.value)
  if (view !== undefined) notices.announcement.value = compactionSentence(view)
})

window.tampDemo = { tamp, killWorker: slot.kill }

const root = document.getElementById('app')
if (root !== null) render(<App chat={chat} notices={notices} />, root)
