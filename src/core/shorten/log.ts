import type { GapTexts } from './gap.ts'
import { keepLines, withoutZeroCounts } from './lines.ts'

/** SEEDS Z5b: what makes a result log-shaped, and what is kept of it. */
const LEVEL = /error|warn|fail|panic/iu
const FAILURE = /error|fail|panic/iu
const WARNING = /warn/iu
/** A line that starts with `at ` after its indent (JavaScript, Java, .NET), or a frame of Python, Rust, Go or Ruby. */
const STACK_FRAME =
  /^\s*(?:at \S|File "[^"]+", line \d|\d+: +0x[0-9a-f]|\S+\.go:\d+ \+0x|from \S+:\d+:in )/u
const VERDICT =
  /\b\d+\s+(?:passed|failed|tests?|errors?|failures?|problems?)\b|\b(?:passed|failed|total)\s*[:=]/iu

const MIN_LEVEL_LINES = 3
const MAX_FAILURES = 20
const MAX_WARNINGS = 10
const CONTEXT_LINES = 2
const LAST_LINES = 3
/** A verdict is looked for among so many last lines. */
const VERDICT_REACH = 12

/**
 * Gives back a log shortened to the budget: failures and warnings by score with their neighbours, the first
 * line, the last lines and the verdict. `undefined` where the text is not log-shaped or nothing in it failed.
 */
export function shortenLog(text: string, budgetBytes: number, gaps: GapTexts): string | undefined {
  const lines = text.split('\n')
  if (!isLog(lines)) return undefined
  const scored = scoreLines(lines)
  if (scored.length === 0) return undefined
  return keepLines({ lines, wanted: wantedLines(lines, scored) }, budgetBytes, gaps)
}

function isLog(lines: readonly string[]): boolean {
  let levels = 0
  for (const line of lines) {
    if (STACK_FRAME.test(line)) return true
    if (LEVEL.test(line) && ++levels >= MIN_LEVEL_LINES) return true
  }
  return false
}

interface ScoredLine {
  readonly index: number
  readonly score: number
}

function scoreLines(lines: readonly string[]): readonly ScoredLine[] {
  const failures: ScoredLine[] = []
  const warnings: ScoredLine[] = []
  for (const [index, line] of lines.entries()) {
    const said = withoutZeroCounts(line)
    const frame = STACK_FRAME.test(line) ? 0.3 : 0
    if (FAILURE.test(said)) failures.push({ index, score: 1 + frame })
    else if (WARNING.test(said)) warnings.push({ index, score: 0.5 + frame })
  }
  const byScore = (a: ScoredLine, b: ScoredLine) => b.score - a.score || a.index - b.index
  return [
    ...failures.sort(byScore).slice(0, MAX_FAILURES),
    ...warnings.sort(byScore).slice(0, MAX_WARNINGS),
  ]
}

function* wantedLines(lines: readonly string[], scored: readonly ScoredLine[]): Generator<number> {
  const count = lines.length
  for (let index = count - 1; index >= Math.max(0, count - VERDICT_REACH); index--) {
    if (index >= count - LAST_LINES || VERDICT.test(lines[index] ?? '')) yield index
  }
  yield 0
  for (const { index } of scored) yield index
  for (let distance = 1; distance <= CONTEXT_LINES; distance++) {
    for (const { index } of scored) {
      if (index >= distance) yield index - distance
      if (index + distance < count) yield index + distance
    }
  }
}
