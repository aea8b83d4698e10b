import type { About, NativeMessage } from '../chat/opening.ts'
import { contentText } from '../chat/sent.ts'
import { dryRunLog } from './dry-run-log.ts'
import { meetingNotes } from './meeting-notes.ts'

/** Something to say with one click. */
export interface Suggestion {
  readonly label: string
  readonly text: string
}

const forSample: readonly Suggestion[] = [
  { label: 'Paste the meeting notes', text: meetingNotes },
  { label: 'Paste the dry-run log', text: dryRunLog },
  { label: 'What is the deploy key?', text: 'What is the deploy key?' },
  {
    label: 'Who decides about turning back?',
    text: 'Who decides to turn back, and when at the latest?',
  },
]

const forAgent: readonly Suggestion[] = [
  { label: 'Why do the tests fail?', text: 'Why do the tests fail?' },
  { label: 'Read the rounding rules', text: 'Read docs/rounding.md' },
  { label: 'Where is `formatCents`?', text: 'Where is `formatCents` used?' },
]

const forNew: readonly Suggestion[] = [
  { label: 'Tell it a fact', text: 'The vault code is 4471-heron. Keep it in mind.' },
  { label: 'Paste the meeting notes', text: meetingNotes },
  { label: 'Paste the dry-run log', text: dryRunLog },
  { label: 'Ask for the fact', text: 'What is the vault code?' },
]

/** Gives back what is worth saying next: what was said already is left out, questions stay. */
export function suggestionsFor(
  { origin }: Pick<About, 'origin'>,
  messages: readonly NativeMessage[],
  model: string,
): readonly Suggestion[] {
  const said = new Set(messages.map(contentText))
  const agent = model === 'sim-agent' ? forAgent : []
  const talk = origin === 'sample' ? forSample : origin === 'new' ? forNew : []
  return [...agent, ...talk].filter(({ text }) => text.endsWith('?') || !said.has(text))
}
