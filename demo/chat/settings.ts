import type { About } from './opening.ts'
import { type PersonaChoice, personaOf } from './persona.ts'
import { type WindowTokens, windowChoices } from './window.ts'

/** What the page keeps of a conversation beside Tamp: without it a reload would send another request. */
export interface ChatSettings {
  readonly about: About
  readonly persona: PersonaChoice
  readonly windowTokens: WindowTokens
}

/** Settings by conversation. */
export interface SettingsStore {
  readonly read: (id: string) => ChatSettings | undefined
  readonly write: (id: string, settings: ChatSettings) => void
  readonly remove: (id: string) => void
  /** The conversation that was open last. */
  readonly lastId: () => string | undefined
  readonly rememberLast: (id: string) => void
}

/** The part of `localStorage` that is needed. */
export type TextStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

const prefix = 'tamp-demo/'
const lastKey = 'tamp-demo-last'

/**
 * Creates the store over `localStorage`. `storage` is called each time, since a browser may refuse even to
 * hand it out; what it refuses is told and the page goes on without.
 */
export function createSettingsStore(
  storage: () => TextStorage,
  onRefused: (reason: string) => void,
): SettingsStore {
  function attempt<T>(work: (storage: TextStorage) => T): T | undefined {
    try {
      return work(storage())
    } catch (error) {
      onRefused(error instanceof Error ? error.message : String(error))
      return undefined
    }
  }
  return {
    read: (id) => {
      const text = attempt((texts) => texts.getItem(prefix + id))
      return typeof text === 'string' ? attempt(() => parseSettings(text)) : undefined
    },
    write(id, { about, persona, windowTokens }) {
      const text = JSON.stringify({ about, model: persona.model, windowTokens })
      attempt((texts) => texts.setItem(prefix + id, text))
    },
    remove: (id) => attempt((texts) => texts.removeItem(prefix + id)),
    lastId: () => attempt((texts) => texts.getItem(lastKey)) ?? undefined,
    rememberLast: (id) => attempt((texts) => texts.setItem(lastKey, id)),
  }
}

function parseSettings(text: string): ChatSettings {
  // The page wrote it itself; model and window are looked up, since a later page may offer others.
  const { about, model, windowTokens } = JSON.parse(text) as {
    about: About
    model: string
    windowTokens: number
  }
  const known = windowChoices.find((tokens) => tokens === windowTokens)
  return { about, persona: personaOf(model), windowTokens: known ?? 8192 }
}
