import { repoTools } from '../repo/tools.ts'
import type { ToolDefinition } from '../simulator/protocol.ts'

/** One of the simulator's models, with what the page sends along for it. */
export interface PersonaChoice {
  readonly model: 'sim-chat' | 'sim-agent'
  readonly label: string
  readonly system: string
  readonly tools: readonly ToolDefinition[]
}

const chat: PersonaChoice = {
  model: 'sim-chat',
  label: 'Chat',
  system:
    'You are a careful assistant. Answer only from what you were told, and say so when you were not.',
  tools: [],
}

const agent: PersonaChoice = {
  model: 'sim-agent',
  label: 'Agent with tools',
  system:
    'You are a coding agent in the repository larkspur-billing. Use the tools to look before you answer, and quote what you found.',
  tools: repoTools,
}

export const personaChoices = [chat, agent] as const

/** Gives back the persona of a model; the chat persona for any other name. */
export function personaOf(model: string): PersonaChoice {
  return personaChoices.find((persona) => persona.model === model) ?? chat
}
