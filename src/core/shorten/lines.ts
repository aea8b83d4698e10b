import { characterCount, headOf, tailOf, utf8Length } from './characters.ts'
import type { GapTexts } from './gap.ts'

/** Lines of a text with the order in which they are worth keeping. */
export interface RankedLines {
  readonly lines: readonly string[]
  /** Indexes of lines, most wanted first; a line may stand in it more than once. */
  readonly wanted: Iterable<number>
}

/** What a gap takes beside its lines, in bytes, so that a kept line is never dearer than its gap. */
const GAP_BYTES = 60
/** No single line may take more of the budget than this share. */
const LINE_SHARE = 1 / 4

/** Gives back as many wanted lines as fit the budget, in their own order, with a counted gap for each run left out. */
export function keepLines(ranked: RankedLines, budgetBytes: number, gaps: GapTexts): string {
  const { lines } = ranked
  const longest = Math.max(GAP_BYTES, Math.floor(budgetBytes * LINE_SHARE))
  const kept = new Map<number, string>()
  let room = budgetBytes - GAP_BYTES
  for (const index of ranked.wanted) {
    if (kept.has(index)) continue
    const line = clipMiddle(lines[index] ?? '', longest, gaps)
    const isolated = !kept.has(index - 1) && !kept.has(index + 1)
    const cost = utf8Length(line) + 1 + (isolated ? GAP_BYTES : 0)
    if (cost > room) continue
    kept.set(index, line)
    room -= cost
  }
  return assemble(lines, kept, gaps)
}

function assemble(
  lines: readonly string[],
  kept: ReadonlyMap<number, string>,
  gaps: GapTexts,
): string {
  const out: string[] = []
  let gap = 0
  for (const [index] of lines.entries()) {
    const line = kept.get(index)
    if (line === undefined) {
      gap++
      continue
    }
    if (gap > 0) out.push(gaps.lines(gap))
    gap = 0
    out.push(line)
  }
  if (gap > 0) out.push(gaps.lines(gap))
  return out.join('\n')
}

/** Gives back the text with its middle left out where it has more bytes than given; the gap says how much. */
export function clipMiddle(text: string, bytes: number, gaps: GapTexts): string {
  if (utf8Length(text) <= bytes) return text
  const room = Math.max(0, bytes - utf8Length(gaps.characters(characterCount(text))) - 2)
  const head = headOf(text, Math.ceil(room * 0.6))
  const tail = tailOf(text.slice(head.length), Math.floor(room * 0.4))
  const gone = characterCount(text) - characterCount(head) - characterCount(tail)
  return `${head} ${gaps.characters(gone)} ${tail}`.trim()
}

/** Failure words in the middle of other results (SEEDS Z5c). */
const FAILURE_WORD = /\b(?:error|fail|failed|failure|panic|fatal|exception)\b/iu
/** A count of zero is no failure (SEEDS Z5b, Z5c). */
const NO_FAILURE =
  /\b(?:0|no|zero)\s+(?:errors?|warnings?|fail(?:ed|ures?|s)?|panics?|exceptions?)\b|\b(?:errors?|warnings?|fail(?:ed|ures?)?)\s*[:=]\s*0\b/giu

/** Gives back the line without statements that nothing failed. */
export function withoutZeroCounts(line: string): string {
  return line.replace(NO_FAILURE, '')
}

/** Lines kept at each end, and failure lines kept from the middle (SEEDS Z5c). */
const END_LINES = 10
const MIDDLE_FAILURES = 20

/** Gives back a text of plain lines shortened to the budget: both ends, failures, then the rest from the top. */
export function shortenLines(text: string, budgetBytes: number, gaps: GapTexts): string {
  if (utf8Length(text) <= budgetBytes) return text
  const lines = text.split('\n')
  if (lines.length <= 2 * END_LINES) return shortenFewLines(text, lines, budgetBytes, gaps)
  return keepLines({ lines, wanted: wantedLines(lines) }, budgetBytes, gaps)
}

function shortenFewLines(
  text: string,
  lines: readonly string[],
  budgetBytes: number,
  gaps: GapTexts,
): string {
  const share = Math.floor(budgetBytes / Math.max(1, lines.length)) - 1
  const clipped = lines
    .map((line) => clipMiddle(line, Math.max(GAP_BYTES * 2, share), gaps))
    .join('\n')
  return utf8Length(clipped) <= budgetBytes ? clipped : clipMiddle(text, budgetBytes, gaps)
}

function* wantedLines(lines: readonly string[]): Generator<number> {
  for (let distance = 0; distance < END_LINES; distance++) {
    yield distance
    yield lines.length - 1 - distance
  }
  let failures = 0
  for (
    let index = END_LINES;
    index < lines.length - END_LINES && failures < MIDDLE_FAILURES;
    index++
  ) {
    if (!FAILURE_WORD.test(withoutZeroCounts(lines[index] ?? ''))) continue
    failures++
    yield index
  }
  for (let index = END_LINES; index < lines.length - END_LINES; index++) {
    const line = lines[index] ?? ''
    if (line.trim() !== '' && line !== lines[index - 1]) yield index
  }
}
