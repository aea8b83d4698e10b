import { openai } from '../support/build.ts'
import type { Native } from '../support/native.ts'

/** Words enough that a few turns fill a small window. */
export function longText(about: string): string {
  return `${about} was looked at; nothing was found. `.repeat(6)
}

/** A chat of so many questions and answers behind a task, ending with a question. */
export function chatOf(turns: number): readonly Native[] {
  const turn = (n: number) => [
    openai.assistant(longText(`Gate ${n}`)),
    openai.user(`Question ${n}: what of gate ${n + 1}?`),
  ]
  return [
    openai.system('Be brief.'),
    openai.user('Remember that the deploy key is K-4217. Check the gates.'),
    ...Array.from({ length: turns }, (_, n) => turn(n)).flat(),
  ]
}

/** A request of a model whose tokenizer is known. */
export function requestOf(messages: readonly Native[], more: object = {}) {
  return { model: 'gpt-4o', messages: [...messages], ...more }
}

export function bytesOf(request: { readonly messages: readonly unknown[] }): string {
  return JSON.stringify(request.messages)
}
