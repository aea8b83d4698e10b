/** Something that an issue leaves to a later one. */
export interface Deferral {
  /** The later issue. */
  readonly issue: number
  readonly reason: string
}

/** Cases that are not run yet, by the number their name starts with. */
export const deferredCases: Readonly<Record<string, Deferral>> = {
  '09': { issue: 3, reason: 'reading of usage reports comes with the conversation' },
  '15': { issue: 5, reason: 'the check of a summary by a second call comes with the summarizers' },
  '17': { issue: 3, reason: 'live state is carried by the conversation' },
  '18': { issue: 5, reason: 'exact strings that a model drops are appended with the summarizers' },
  '23': { issue: 5, reason: 'summaries in parts come with the summarizers' },
  '24': { issue: 3, reason: 'a second compaction needs the log' },
  '33': { issue: 5, reason: 'redaction comes with the summarizers' },
}

/** Checks that are not run yet in the cases that are, by name. */
export const deferredChecks: Readonly<Record<string, Deferral>> = {
  'originals-retained': { issue: 3, reason: 'needs the archive' },
  'input-untouched:restart': { issue: 3, reason: 'needs a store' },
}
