/** What a line of a recording begins with where Tamp says who speaks, or opens a section. */
const TAG = /^(?=\[[^\]\n]{1,60}\]|#{1,3} )/gmu

/**
 * Gives back text in which no line reads as a tag or a heading of the recording: a tool's result cannot put words
 * into a person's mouth (KNOWN-FAILURES D23, D52).
 */
export function escapeTags(text: string): string {
  return text.replace(TAG, '\\')
}
