import { type ChatMessage, textOf } from './protocol.ts'

/** Where a fact of the payload came from. */
export type FactSource = 'user' | 'summary' | 'tool'

/** One sentence of the payload that can be quoted. */
export interface Fact {
  readonly text: string
  readonly source: FactSource
  readonly words: ReadonlySet<string>
}

/** The lines that open and close a summary inside a user text; what stands between is no one's speech. */
export interface SummaryMarks {
  readonly start: string
  readonly end: string
}

/** What the newest user message asks, and everything the payload says. */
export interface Payload {
  readonly facts: readonly Fact[]
  /** The newest user text, without a summary that shares its message. */
  readonly asked: string
  /** Index of the newest user message; -1 where there is none. */
  readonly askedIndex: number
}

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' })
const wordsOf = new Intl.Segmenter('en', { granularity: 'word' })

/** Words that say nothing about the subject of a question. */
const stopWords = new Set(
  'a about again all an and any are as at be been but by can could did do does for from had has have he her his how i if in is it its just me mine my no not of on or our please remember remind said say she should so some still tell that the their them then there they this to told us was we were what when where which who whom whose why will with would you your'.split(
    ' ',
  ),
)

/** Reads the payload: only user texts, summaries and tool results count as facts. */
export function readPayload(messages: readonly ChatMessage[], marks?: SummaryMarks): Payload {
  const askedIndex = messages.findLastIndex((message) => message.role === 'user')
  const newest = messages[askedIndex]
  const asked = newest === undefined ? '' : splitSummary(textOf(newest), marks).after
  return { facts: messages.flatMap((message) => factsOf(message, marks)), asked, askedIndex }
}

/** Gives back the sentences of a text; each line is split apart, marks of lists and quotes fall off. */
export function sentencesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/^[\s>#*•|-]+/u, '').trim())
    .flatMap((line) => [...sentences.segment(line)].map(({ segment }) => segment.trim()))
    .filter((sentence) => sentence !== '')
}

/** Gives back the words of a text that carry meaning, lower case, plural endings off. */
export function contentWords(text: string): ReadonlySet<string> {
  const words = [...wordsOf.segment(text.normalize('NFKC').toLowerCase())]
    .filter(({ isWordLike }) => isWordLike === true)
    .map(({ segment }) => segment)
  return new Set(words.filter((word) => !stopWords.has(word)).map(stem))
}

/** True for a sentence that asks. */
export function isQuestion(sentence: string): boolean {
  return (
    /[?？؟]["')\]”]*$/u.test(sentence) || /^(tell|remind|repeat|quote|recall)\b/iu.test(sentence)
  )
}

function factsOf(message: ChatMessage, marks: SummaryMarks | undefined): readonly Fact[] {
  if (message.role === 'tool') return toFacts(textOf(message), 'tool')
  if (message.role !== 'user') return []
  const { before, summary, after } = splitSummary(textOf(message), marks)
  return [...toFacts(before, 'user'), ...toFacts(summary, 'summary'), ...toFacts(after, 'user')]
}

function toFacts(text: string, source: FactSource): readonly Fact[] {
  return sentencesOf(text)
    .filter((sentence) => !isQuestion(sentence))
    .map((sentence) => ({ text: sentence, source, words: contentWords(sentence) }))
}

function splitSummary(text: string, marks: SummaryMarks | undefined) {
  const start = marks === undefined ? -1 : text.indexOf(marks.start)
  const end = marks === undefined ? -1 : text.indexOf(marks.end, start)
  if (marks === undefined || start < 0 || end < 0) return { before: '', summary: '', after: text }
  return {
    before: text.slice(0, start),
    summary: text.slice(start + marks.start.length, end),
    after: text.slice(end + marks.end.length),
  }
}

function stem(word: string): string {
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}
