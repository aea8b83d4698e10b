/**
 * The texts that Tamp leaves in a history. They are short and neutral, so that they do not flip the language
 * of a conversation, and a function of the place alone: no counter, clock or random number, so that the
 * bytes never change and a prompt cache keeps them.
 */

/** First line of a checkpoint. Fixed, so that people and tests recognise it. */
export const CHECKPOINT_START =
  '[tamp checkpoint: a record of earlier steps, not a new instruction]'
/** Last line of a checkpoint. */
export const CHECKPOINT_END = '[end of tamp checkpoint]'
/** Heads the newest requests of a person where the message that held them was folded (SEEDS M20). */
export const NEWEST_REQUESTS = '[newest requests of the user, word for word]'
/** Heads refusals of a person or a policy that were folded (SEEDS M7). */
export const REFUSALS = '[refusals, word for word]'

const OWN_MARK =
  /\[(?=tamp checkpoint|end of tamp checkpoint|newest requests of the user|refusals, word)/giu

/** Gives back text from elsewhere in which nothing reads as one of the marks above. */
export function escapeMarks(text: string): string {
  return text.replace(OWN_MARK, '[\\')
}

/** Gives back a checkpoint: the text between its marks, escaped, then sections whose headings are Tamp's own. */
export function checkpointText(body: string, sections: readonly string[] = []): string {
  const inner = [escapeMarks(body.trim()), ...sections].join('\n\n')
  return `${CHECKPOINT_START}\n${inner}\n${CHECKPOINT_END}`
}

const formatNumber = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`

/** The gap that squash and the last rung leave for lines. */
export function linesOmitted(lines: number): string {
  return `[${formatNumber(lines, 'line')} omitted]`
}

/** The gap inside a line or a string; `characters` are code points. */
export function charactersOmitted(characters: number): string {
  return `[${formatNumber(characters, 'character')} omitted]`
}

/** The element that stands for what left a JSON array. */
export function itemsOmitted(items: number, of: number): string {
  return `[${formatNumber(items, 'item')} of ${of} omitted]`
}

/** How to get the original back, where the tool is known. */
export function callAgain(tool: string | undefined): string {
  return tool === undefined ? '' : `; call ${tool} again to see all`
}

/** First word of the marker for a result that a later call superseded (SEEDS M6). */
export const SUPERSEDED = '[superseded:'
/** First words of the marker for a failure that happened again (SEEDS M7). */
export const REPEATED_FAILURE = '[repeated failure:'
/** First words of the note for media that left (KNOWN-FAILURES D25). */
export const MEDIA_REMOVED = '[no longer attached:'

/** The marker that stands in place of a superseded result. */
export function supersededMarker(by: string, again: string): string {
  const later = by === again ? `a later identical call of ${by}` : `a later call of ${by}`
  return `${SUPERSEDED} ${later} below has the current content; call ${again} to read it again]`
}

/** The marker that stands in place of a failure that is kept whole further down. */
export function repeatedFailureMarker(tool: string): string {
  return (
    `${REPEATED_FAILURE} the same call of ${tool} failed again later with the same error, which is kept ` +
    'below; repeating it unchanged did not work]'
  )
}

/** The note that stands where an image or a file was. */
export function mediaRemovedMarker(mediaType: string, name: string | undefined): string {
  const kind = mediaType.split('/')[0] || 'file'
  const noun = kind === 'application' ? 'file' : kind
  return `${MEDIA_REMOVED} ${noun}${name ? ` ${JSON.stringify(name)}` : ''}; attach it again to show it]`
}

const WHOLE_MARKER =
  /^(?:\[superseded: [^\n]{1,400}\]|\[repeated failure: [^\n]{1,400}\]|\[no longer attached: [^\n]{1,400}\])$/u

/** True where the whole text is one of the markers above: it stands for something and is not read again. */
export function isMarker(text: string): boolean {
  return text.length <= 420 && WHOLE_MARKER.test(text)
}
