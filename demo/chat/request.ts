import type { About, NativeMessage } from './opening.ts'
import type { PersonaChoice } from './persona.ts'
import { answerTokens, modelName } from './window.ts'

/** A provider's request as the page builds it: the fields of the format, and the messages. */
export interface ChatRequestBody {
  readonly messages: readonly NativeMessage[]
  readonly [field: string]: unknown
}

/** What a request is made with, beside the messages. */
export interface RequestSettings {
  readonly about: About
  readonly persona: PersonaChoice
  readonly windowTokens: number
  /** Asks the simulator for another wording of the same answer; `undefined` for its first one. */
  readonly seed?: number
}

/** Gives back the request with the whole history in it. */
export function buildRequest(
  { about, persona, windowTokens, seed }: RequestSettings,
  history: readonly NativeMessage[],
): ChatRequestBody {
  const max_tokens = answerTokens(windowTokens)
  if (about.format === 'anthropic-messages') {
    return { model: 'opened-from-file', max_tokens, ...about.fields, messages: history }
  }
  const offered = persona.tools.length > 0 ? { tools: persona.tools } : {}
  return {
    ...offered,
    ...about.fields,
    model: modelName(persona.model, windowTokens),
    max_tokens,
    ...(seed !== undefined && { seed }),
    stream: true,
    stream_options: { include_usage: true },
    messages: [...systemOf(about, persona), ...history],
  }
}

/** A file brings its own system text, or deliberately none. */
function systemOf({ origin, lead }: About, persona: PersonaChoice): readonly NativeMessage[] {
  return origin === 'file' ? lead : [{ role: 'system', content: persona.system }]
}
