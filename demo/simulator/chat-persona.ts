import {
  contentWords,
  type Fact,
  isQuestion,
  type Payload,
  readPayload,
  sentencesOf,
} from './facts.ts'
import type { Persona } from './persona.ts'
import { highlights, recall } from './recall.ts'

/** The wordings of each source; the seed of the request chooses. */
const sourceWords: Readonly<Record<Fact['source'], readonly [string, ...string[]]>> = {
  user: ['You told me', 'In your words', 'You said'],
  summary: [
    'The summary of our earlier conversation says',
    'As our earlier conversation was summed up',
    'From the summary of what was said before',
  ],
  tool: ['A tool result says', 'A tool gave', 'From a tool result'],
}

const untold = ['I was not told', 'Nobody told me', 'I cannot know'] as const

const noted = ['Noted', 'Understood', 'I have that'] as const

/** `sim-chat`: answers questions by quoting the payload, and says so where it was not told. */
export const chatPersona: Persona = (request, marks) => {
  const payload = readPayload(request.messages, marks)
  return { text: answerFromPayload(payload, request.seed), calls: [] }
}

/** Gives back the answer to the newest user message. */
export function answerFromPayload(payload: Payload, seed = 0): string {
  const questions = sentencesOf(payload.asked).filter(isQuestion)
  if (questions.length === 0) return acknowledge(payload, seed)
  return questions.map((question) => answerQuestion(payload.facts, question, seed)).join('\n\n')
}

/** Gives back quotes that answer one question, or the admission that the payload holds none. */
export function answerQuestion(facts: readonly Fact[], question: string, seed = 0): string {
  const found = recall(facts, question)
  if (found.length > 0) return found.map((fact) => quote(fact, seed)).join('\n\n')
  const subject = [...contentWords(question)].join(', ')
  const about = subject === '' ? 'that' : `that (${subject})`
  return `${wordingOf(untold, seed)} ${about}: nothing in the request I received says so.`
}

/** Gives back one fact as a quote that names its source. */
export function quote(fact: Fact, seed = 0): string {
  return `${wordingOf(sourceWords[fact.source], seed)}: “${fact.text}”`
}

/** Gives back the wording that a seed chooses; the first one for a seed that is no number. */
export function wordingOf(wordings: readonly [string, ...string[]], seed: number): string {
  return wordings[Math.abs(Math.trunc(seed)) % wordings.length] ?? wordings[0]
}

function acknowledge({ asked, facts }: Payload, seed: number): string {
  const lines = sentencesOf(asked)
  const said = facts.filter((fact) => fact.source === 'user' && lines.includes(fact.text))
  if (said.length === 0) return 'I am listening. Tell me something, or ask about what you told me.'
  const start = wordingOf(noted, seed)
  if (said.length < 4) return `${start}: “${said.map((fact) => fact.text).join(' ')}”`
  const quotes = highlights(said, facts).map((fact) => `- “${fact.text}”`)
  return [`${start}, all ${said.length} lines. What stands out:`, '', ...quotes].join('\n')
}
