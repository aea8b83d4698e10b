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

const sourceWords = {
  user: 'You told me',
  summary: 'The summary of our earlier conversation says',
  tool: 'A tool result says',
} as const

/** `sim-chat`: answers questions by quoting the payload, and says so where it was not told. */
export const chatPersona: Persona = (request, marks) => {
  const payload = readPayload(request.messages, marks)
  return { text: answerFromPayload(payload), calls: [] }
}

/** Gives back the answer to the newest user message. */
export function answerFromPayload(payload: Payload): string {
  const questions = sentencesOf(payload.asked).filter(isQuestion)
  if (questions.length === 0) return acknowledge(payload)
  return questions.map((question) => answerQuestion(payload.facts, question)).join('\n\n')
}

/** Gives back quotes that answer one question, or the admission that the payload holds none. */
export function answerQuestion(facts: readonly Fact[], question: string): string {
  const found = recall(facts, question)
  if (found.length > 0) return found.map(quote).join('\n\n')
  const subject = [...contentWords(question)].join(', ')
  const about = subject === '' ? 'that' : `that (${subject})`
  return `I was not told ${about}: nothing in the request I received says so.`
}

/** Gives back one fact as a quote that names its source. */
export function quote(fact: Fact): string {
  return `${sourceWords[fact.source]}: “${fact.text}”`
}

function acknowledge({ asked, facts }: Payload): string {
  const lines = sentencesOf(asked)
  const said = facts.filter((fact) => fact.source === 'user' && lines.includes(fact.text))
  if (said.length === 0) return 'I am listening. Tell me something, or ask about what you told me.'
  if (said.length < 4) return `Noted: “${said.map((fact) => fact.text).join(' ')}”`
  const quotes = highlights(said, facts).map((fact) => `- “${fact.text}”`)
  return [`Noted, all ${said.length} lines. What stands out:`, '', ...quotes].join('\n')
}
