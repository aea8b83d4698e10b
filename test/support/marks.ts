import type { Marks } from './case-types.ts'

/**
 * Marks of a made-up library, for the tests of the checker, and the defaults of the runner: the patterns say in
 * plain words what the README of the cases asks of a marker, so that they hold for any wording.
 */
export const plainMarks: Marks = {
  checkpointStart: '<<record>>',
  checkpointEnd: '<<end of record>>',
  // The key of the opening one is the library's; what else looks like a fence is the data's.
  fences: (prompt) => {
    const key = /<<data-([a-z0-9]+)>>/.exec(prompt)?.[1]
    return key === undefined ? [] : [`<<data-${key}>>`, `<</data-${key}>>`]
  },
  omission:
    /\d[\d,.]*\s+(?:more\s+)?(?:lines?|items?|elements?|characters?|messages?|bytes?|rows?|files?|images?)\b[^\n]{0,40}\b(?:omitted|left out|removed|missing|not shown|gone)/i,
  wholeMarker: /^\[[^\n]{1,400}\]$/,
  forwardPointer: /\b(?:later|newer|below|further down)\b/i,
  recovery: /\b(?:again|recall|archive|read back)\b/i,
  imageNote: /\b(?:no longer attached|not attached|was removed|left out|omitted)\b/i,
  readTool: /^(?:read|open|view|cat|fetch|get)/i,
}
