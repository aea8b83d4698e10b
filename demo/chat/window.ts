import type { PersonaChoice } from './persona.ts'

/** The windows that the page offers, in tokens. */
export const windowChoices = [4096, 8192, 16_384] as const

export type WindowTokens = (typeof windowChoices)[number]

/** Tokens that the provider adds around a request and that no counter on this side sees exactly. */
const framingTokens = 64

/** Room kept for the answer: an eighth of the window. */
export function reserveOf(windowTokens: number): number {
  return windowTokens / 8
}

/** What a request may count: the limit given to `fit`, and what Tamp makes of window and reserve. */
export function limitOf(windowTokens: number): number {
  return windowTokens - reserveOf(windowTokens)
}

/** The answer's own limit as the request states it: the reserve, less the provider's framing. */
export function answerTokens(windowTokens: number): number {
  return reserveOf(windowTokens) - framingTokens
}

/** The simulator's models differ in their windows, as real ones do: `sim-chat-8k`. */
export function modelName(model: PersonaChoice['model'], windowTokens: number): string {
  return `${model}-${windowTokens / 1024}k`
}

/** Gives back what Tamp is told of each model's window: the provider's framing is taken off. */
export function windowsByModel(
  models: readonly PersonaChoice['model'][],
): Readonly<Record<string, number>> {
  const named = models.flatMap((model) =>
    windowChoices.map((tokens) => [modelName(model, tokens), tokens - framingTokens] as const),
  )
  return Object.fromEntries(named)
}
