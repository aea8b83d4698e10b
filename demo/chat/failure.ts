/** A failure in words for the person who chats. */
export interface FailureWords {
  readonly title: string
  readonly text: string
  /** The numbers behind it, as label and value. */
  readonly facts: readonly (readonly [label: string, value: string])[]
}

const cannotFitCauses: Readonly<Record<string, string>> = {
  overhead:
    'The system text and the tools alone are larger than the limit, so no compaction of the messages can help.',
  newest:
    'The newest messages alone are larger than the limit, and they are never left out. Shorten the message or choose a larger window.',
  floor:
    'What may never be left out (the task, unanswered messages and the newest step) is larger than the limit. Choose a larger window.',
}

const codeWords: Readonly<Record<string, readonly [title: string, text: string]>> = {
  'engine-lost': ['The compaction engine stopped', 'It could not be started again.'],
  'ranks-unavailable': ['Nothing can be counted', 'A file of this page could not be loaded.'],
  'invalid-conversation': ['This conversation cannot be read', 'Its messages break the format.'],
  'unknown-format': ['The format is not known', 'The messages fit neither of the two formats.'],
  'summarizer-unavailable': ['No summary could be made', 'The summarizer did not answer.'],
  'summary-rejected': [
    'The summary was rejected',
    'It did not pass the checks, so nothing was changed.',
  ],
  'storage-failed': ['The store of this device failed', 'What was said lately may not be stored.'],
  'quota-exceeded': ['There is no room on this device', 'Delete conversations or free some space.'],
  'newer-version': ['This was made by a newer version', 'Reload the page and try again.'],
  deleted: ['This conversation was deleted', 'Start a new chat to go on.'],
  context_length_exceeded: ['The model refused the request: too long', ''],
}

/** Gives back any error in plain words; a code decides where there is one. */
export function describeFailure(error: unknown): FailureWords {
  const { message, code, details } = readError(error)
  if (code === 'cannot-fit') {
    const cause = cannotFitCauses[String(details.cause)] ?? message
    return { title: 'This request cannot be made to fit', text: cause, facts: numbersOf(details) }
  }
  const [title, text] = codeWords[code ?? ''] ?? ['Something went wrong', '']
  return { title, text: `${text} ${message}`.trim(), facts: numbersOf(details) }
}

/** The same for a file that could not be imported. */
export function describeImportFailure(error: unknown): FailureWords {
  const { message, code, details } = readError(error)
  if (code !== 'invalid-conversation') return describeFailure(error)
  const title = 'This is no exported conversation'
  // A file without the mark of an export, or no JSON at all, has no fault worth naming.
  const isOther = details.path === 'tamp' || details.path === 'file'
  const advice = 'Choose a file that Export wrote. A list of messages is opened with Open file.'
  return isOther
    ? { title, text: advice, facts: [] }
    : { title: 'This exported conversation is damaged', text: message, facts: [] }
}

/** The code of an error, where it has one. Recognised by the field: errors cross realms. */
export function codeOf(error: unknown): string | undefined {
  return readError(error).code
}

function readError(error: unknown) {
  const fields: Record<string, unknown> =
    typeof error === 'object' && error !== null ? { ...error } : {}
  const message = error instanceof Error ? error.message : String(error)
  const code = typeof fields.code === 'string' ? fields.code : undefined
  const details = (fields.details ?? {}) as Readonly<Record<string, unknown>>
  return { message, code, details }
}

function numbersOf(details: Readonly<Record<string, unknown>>): FailureWords['facts'] {
  return Object.entries(details).flatMap(([name, value]) =>
    typeof value === 'number' ? [[labelOf(name), value.toLocaleString('en')] as const] : [],
  )
}

/** `overheadTokens` → `Overhead (tokens)`: the details name their units. */
function labelOf(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/gu, '$1 $2').toLowerCase()
  const label = words.replace(/ (tokens|messages)$/u, ' ($1)')
  return label.charAt(0).toUpperCase() + label.slice(1)
}
