import { type Signal, signal } from '@preact/signals'
import type { ConversationSummary } from 'tamp'
import type { Chat, ChatTamp } from './chat.ts'
import { codeOf, describeFailure, describeImportFailure } from './failure.ts'
import type { SettingsStore } from './settings.ts'

/** A file that is handed to the person. */
export interface SavedFile {
  readonly name: string
  readonly text: string
}

/** A conversation as the list shows it. */
export interface ListedConversation extends ConversationSummary {
  /** As the page named it; `undefined` where it is called by its first words. */
  readonly name: string | undefined
}

/** All conversations of this device, and what can be done with them. No action rejects. */
export interface Library {
  /** The newest first. */
  readonly summaries: Signal<readonly ListedConversation[]>
  /** True until the list was read for the first time. */
  readonly isReading: Signal<boolean>
  readonly refresh: () => Promise<void>
  /** Really deletes one; where it is the open one, a new chat takes its place. */
  readonly remove: (id: string) => Promise<void>
  /** Gives back the whole log of the open one; `undefined` where that failed. */
  readonly exportOpen: () => Promise<SavedFile | undefined>
  /** Makes a conversation of an exported file and opens it. */
  readonly importFile: (file: Blob) => Promise<void>
}

export interface LibraryParts {
  readonly tamp: ChatTamp
  readonly settings: SettingsStore
  readonly newId: () => string
  readonly announce: (text: string) => void
}

/** Creates the library beside a chat; failures are shown where the chat shows its own. */
export function createLibrary(chat: Chat, parts: LibraryParts): Library {
  const { tamp, settings, newId, announce } = parts
  const summaries = signal<readonly ListedConversation[]>([])
  const isReading = signal(true)
  async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      // A lost engine has a notice of its own.
      if (codeOf(error) !== 'engine-lost') chat.failure.value = describeFailure(error)
      return undefined
    }
  }
  const refresh = async () => {
    await attempt(async () => {
      summaries.value = await listAll(parts)
    })
    isReading.value = false
  }
  return {
    summaries,
    isReading,
    refresh,
    async remove(id) {
      if (id === chat.conversation.value.id) chat.startNew()
      await attempt(async () => {
        await tamp.conversation(id).delete()
        settings.remove(id)
        announce('Conversation deleted')
      })
      await refresh()
    },
    exportOpen: () =>
      attempt(async () => {
        const { id } = chat.conversation.value
        return { name: `tamp-${id}.json`, text: await chat.conversation.value.export() }
      }),
    async importFile(file) {
      const id = newId()
      try {
        await tamp.conversation(id).import(file)
        chat.open(id)
        announce('Conversation imported')
      } catch (error) {
        if (codeOf(error) !== 'engine-lost') chat.failure.value = describeImportFailure(error)
      }
      await refresh()
    },
  }
}

async function listAll({ tamp, settings }: LibraryParts): Promise<readonly ListedConversation[]> {
  const all = await tamp.conversations()
  return all
    .toSorted((one, other) => other.updatedAt - one.updatedAt)
    .map((summary) => ({ ...summary, name: settings.read(summary.id)?.about.title }))
}
