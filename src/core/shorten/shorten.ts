import { parsesAsJson } from '../tools.ts'
import { utf8Length } from './characters.ts'
import { gapTexts, hasGap } from './gap.ts'
import { shortenJson } from './json.ts'
import { clipMiddle, shortenLines } from './lines.ts'
import { shortenLog } from './log.ts'

/**
 * Gives back a result shortened to about `budgetBytes` UTF-8 bytes by the form that suits it: JSON stays JSON,
 * a log keeps its failures and its verdict, other text keeps both ends and its failures. Every gap has a
 * number. A text that an earlier call shortened to this budget comes back as it is. Never longer than the input.
 */
export function shortenResult(text: string, budgetBytes: number, tool: string | undefined): string {
  if (isShortened(text, budgetBytes)) return text
  const gaps = gapTexts(tool)
  const short =
    shortenJson(text, budgetBytes, gaps) ??
    shortenLog(text, budgetBytes, gaps) ??
    shortenLines(text, budgetBytes, gaps)
  return utf8Length(short) < utf8Length(text) ? short : text
}

/**
 * Gives back a result cut to at most about `budgetBytes`, whatever its form: where the form that suits it cannot
 * get so small, both ends stay around one counted gap, as a JSON string where the text was JSON.
 */
export function cutResult(text: string, budgetBytes: number, tool: string | undefined): string {
  const short = shortenResult(text, budgetBytes, tool)
  if (utf8Length(short) <= budgetBytes) return short
  const ends = clipMiddle(text, budgetBytes, gapTexts(tool))
  return parsesAsJson(text) ? JSON.stringify(ends) : ends
}

/** True for a text with a gap of ours that is no longer than its form allows. */
export function isShortened(text: string, budgetBytes: number): boolean {
  return hasGap(text) && utf8Length(text) <= budgetBytes
}
