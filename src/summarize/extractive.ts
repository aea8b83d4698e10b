import { charactersOmitted } from '../core/marker.ts'
import { characterCount, firstCharacters } from '../core/shorten/characters.ts'
import { pausing, type Sliced } from '../core/sliced.ts'
import { allFoldedUnits, type Fold } from '../core/summary.ts'
import { Concepts } from './concepts.ts'
import { errorTemplate, isDecision, isErrorLine, isPlanLine, isQuestion, isRule } from './cues.ts'
import { escapeTags } from './escape-tags.ts'
import { type Candidate, type GreedyRules, takeGreedy } from './greedy.ts'
import { type LedgerRow, ledgerRows } from './ledger.ts'
import { type Line, linesOf } from './lines.ts'
import { type SalienceIndex, salienceOf } from './salience.ts'
import { wordsOf } from './words.ts'

/**
 * The summarizer that needs no model (QUALITY 3.3): exact lines only, chosen by budgeted greedy coverage of
 * exact strings and words, pool by pool, so that the words of people are not drowned by tool output. What it
 * gives back is headed, chronological, tagged with its origin and never paraphrased.
 */
export function* extractiveSummary(
  fold: Fold,
  countText: (text: string) => number,
): Sliced<string> {
  const source = yield* readSource(fold, countText)
  const headings = Math.min(SECTION_TOKENS, fold.capTokens * SECTION_SHARE)
  const selection = yield* select(source, fold.capTokens - headings)
  const text = trimToBudget(source, selection, fold.capTokens, countText)
  const fits = selection.lines.size > 0 && countText(text) <= fold.capTokens
  return fits ? text : clippedLine(source, fold.capTokens, countText)
}

/** What the headings of a full summary and its first line take, and the most of a small one that is set aside for them. */
const SECTION_TOKENS = 36
const SECTION_SHARE = 1 / 4

/** Where no whole line fits: the newest words of a person, else the newest line, cut to what fits. */
function clippedLine(source: Source, budget: number, countText: (text: string) => number): string {
  const line = source.lines.findLast(({ origin }) => origin === 'user') ?? source.lines.at(-1)
  if (!line) return ''
  for (let length = characterCount(line.text); length > 0; length = Math.floor(length * 0.7)) {
    const gone = characterCount(line.text) - length
    const text = `${line.tag} ${firstCharacters(line.text, length)}${gone > 0 ? ` ${charactersOmitted(gone)}` : ''}`
    if (countText(text) <= budget) return text
  }
  return ''
}
/** What tag and line break of a line take (QUALITY 3.3). */
const LINE_TOKENS = 3
/** Below this the words of people come first and may take everything (QUALITY 5.2). */
const SMALL_BUDGET = 400

interface Source {
  readonly lines: readonly Line[]
  /** What a line takes: counted where it is asked for. */
  readonly costOf: (line: Line) => number
  readonly concepts: Concepts
  /** The words of each line, each once; none of lines that nobody spoke. */
  readonly words: readonly (readonly number[])[]
  /** The exact strings of each line, each once. */
  readonly entities: readonly (readonly number[])[]
  readonly ledger: readonly LedgerRow[]
  readonly ledgerCosts: readonly number[]
  readonly unitCount: number
  readonly hasTools: boolean
  /** Words of what must survive, each with its weight; empty where nobody named it. */
  readonly focus: ReadonlyMap<string, number>
}

function* readSource(fold: Fold, countText: (text: string) => number): Sliced<Source> {
  // What an earlier checkpoint stands for is read again, so that nothing thins out twice.
  const units = allFoldedUnits(fold)
  const lines = yield* linesOf(units)
  const index = yield* salienceOf(lines, units.length, fold.kept)
  const concepts = new Concepts()
  const words = yield* pausing(lines, (line) => (isSpoken(line) ? wordsOf(line.text) : []))
  const frequency = yield* wordFrequency(lines, words)
  const worth = (word: string) =>
    0.35 * Math.log(1 + units.length / (frequency.get(word)?.units ?? 1))
  const ledger = ledgerRows(units)
  return {
    lines,
    costOf: remembered((line) => countText(line.text) + LINE_TOKENS),
    concepts,
    words: yield* pausing(words, (own) =>
      distinct(own.map((word) => concepts.numberOf('word', word, () => worth(word)))),
    ),
    entities: yield* pausing(index.ofLine, (own) =>
      distinct(own.map(({ text }) => entityNumber(concepts, index, text))),
    ),
    ledger,
    ledgerCosts: ledger.map((row) => countText(row.text) + 1),
    unitCount: units.length,
    hasTools: lines.some((line) => line.origin === 'call'),
    focus: yield* focusWords(fold, lines),
  }
}

function entityNumber(concepts: Concepts, { byText }: SalienceIndex, text: string): number {
  return concepts.numberOf('entity', text, () => byText.get(text)?.weight ?? 0)
}

function distinct(numbers: readonly number[]): readonly number[] {
  return numbers.length < 2 ? numbers : [...new Set(numbers)]
}

function remembered(cost: (line: Line) => number): (line: Line) => number {
  const known = new Map<number, number>()
  return (line) => {
    const found = known.get(line.position) ?? cost(line)
    known.set(line.position, found)
    return found
  }
}

function isSpoken(line: Line): boolean {
  return line.origin === 'user' || line.origin === 'assistant'
}

/** In how many units a word occurs, and the last of them. */
interface WordUse {
  units: number
  lastUnit: number
}

function* wordFrequency(
  lines: readonly Line[],
  words: readonly (readonly string[])[],
): Sliced<ReadonlyMap<string, WordUse>> {
  const uses = new Map<string, WordUse>()
  yield* pausing(lines, ({ unitIndex }, position) => {
    for (const word of words[position] ?? []) {
      const use = uses.get(word)
      if (!use) uses.set(word, { units: 1, lastUnit: unitIndex })
      else if (use.lastUnit !== unitIndex) {
        use.units++
        use.lastUnit = unitIndex
      }
    }
  })
  return uses
}

/** A pool: which lines may be taken, for which share of the budget, and what they are worth (QUALITY 3.3). */
interface Pool {
  readonly name: PoolName
  readonly share: number
  readonly exponent: number
  readonly holds: (line: Line, source: Source) => boolean
  readonly concepts: (line: Line, source: Source) => readonly number[]
  /** What exact strings are worth here, as a multiple; 1 where it is left out. */
  readonly entityScale?: number
  readonly factor: (line: Line, source: Source) => number
}

type PoolName = 'focus' | 'user' | 'errors' | 'facts' | 'prose'

/** What the person named comes first, whoever said it; each line counts for itself (SEEDS Z7). */
const focused: Pool = {
  name: 'focus',
  share: 0.5,
  exponent: 0.6,
  holds: (line, source) => focusWeight(line, source) > 0,
  concepts: (line, source) => [
    source.concepts.numberOf('focus', line.text, () => focusWeight(line, source)),
  ],
  factor: (line, source) => recency(line, source, 40),
}

function focusWeight(line: Line, { focus }: Source): number {
  const shared = new Set(wordsOf(line.text).filter((word) => focus.has(word)))
  return [...shared].reduce((sum, word) => sum + (focus.get(word) ?? 0), 0)
}

/** Words of the focus by how rare they are; what stands in more than half of the messages names nothing. */
function* focusWords(
  { focus, units }: Fold,
  lines: readonly Line[],
): Sliced<ReadonlyMap<string, number>> {
  const wanted = new Set(wordsOf(focus ?? ''))
  if (wanted.size === 0) return new Map()
  const found = new Map([...wanted].map((word) => [word, new Set<number>()]))
  yield* pausing(lines, (line) => {
    for (const word of wordsOf(line.text)) found.get(word)?.add(line.unitIndex)
  })
  const rare = [...found].filter(([, seen]) => seen.size > 0 && seen.size <= units.length / 2)
  return new Map(rare.map(([word, seen]) => [word, Math.log(1 + units.length / seen.size)]))
}

const user: Pool = {
  name: 'user',
  share: 0.25,
  exponent: 0.6,
  holds: (line) => line.origin === 'user',
  concepts: (line, { words, entities }) => [
    ...(words[line.position] ?? []),
    ...(entities[line.position] ?? []),
  ],
  entityScale: 2,
  factor: (line, source) => cueFactor(line) * recency(line, source, 40),
}
const errors: Pool = {
  name: 'errors',
  share: 0.08,
  exponent: 0.5,
  holds: (line) =>
    (line.origin === 'error' && line.isFirst) ||
    (line.origin !== 'user' && line.origin !== 'assistant' && isErrorLine(line.text)),
  concepts: (line, { concepts }) => [concepts.numberOf('error', errorTemplate(line.text), () => 1)],
  factor: (line, source) => recency(line, source, 20) ** 0.35,
}
const facts: Pool = {
  name: 'facts',
  share: 0.37,
  exponent: 0.8,
  holds: () => true,
  concepts: (line, { entities }) => entities[line.position] ?? [],
  factor: () => 1,
}
const prose: Pool = {
  name: 'prose',
  share: 0.15,
  exponent: 0.6,
  holds: (line) => line.origin === 'assistant',
  concepts: user.concepts,
  entityScale: 2,
  factor: (line, source) => (isDecision(line.text) ? 1.6 : 1) * recency(line, source, 40),
}

const AGENT_POOLS: readonly Pool[] = [user, errors, facts, prose]
/** Without tools both sides' words carry the conversation (QUALITY 3.3, "Pure dialogue"). */
const DIALOGUE_POOLS: readonly Pool[] = [
  { ...user, share: 0.5 },
  { ...facts, share: 0.15 },
  { ...prose, share: 0.35 },
]
const LEDGER_SHARE = 0.15
const FIXED_SHARE = 0.25

function cueFactor(line: Line): number {
  if (isRule(line.text) || isDecision(line.text)) return 1.6
  return isQuestion(line.text) ? 1.2 : 1
}

function recency(line: Line, source: Source, halfLife: number): number {
  return 1 / (1 + (source.unitCount - 1 - line.unitIndex) / halfLife)
}

interface Selection {
  readonly ledger: readonly number[]
  /** Positions of lines by the section they stand in, in the order taken. */
  readonly lines: ReadonlyMap<number, Section>
}

type Section = Exclude<PoolName, 'focus'> | 'position'

function* select(source: Source, budget: number): Sliced<Selection> {
  const taken = new Map<number, Section>()
  const covered = new Set<number>()
  let spent = 0
  function* take(pool: Pool, room: number): Sliced<void> {
    spent += yield* takeFromPool(source, pool, { room, taken, covered })
  }
  const isSmall = budget < SMALL_BUDGET
  if (source.focus.size > 0) yield* take(focused, budget * focused.share)
  const pools = source.hasTools ? AGENT_POOLS : DIALOGUE_POOLS
  if (isSmall) yield* take(user, budget - spent)
  spent += takeFixed(source, Math.min(budget * FIXED_SHARE, budget - spent), taken)
  const room = Math.min(budget * LEDGER_SHARE, budget - spent)
  const ledger = yield* takeLedger(source, room, covered)
  spent += ledger.reduce((sum, row) => sum + (source.ledgerCosts[row] ?? 0), 0)
  let due = spent
  for (const pool of pools) {
    due += budget * pool.share
    yield* take(pool, Math.min(Math.max(0, due - spent), budget - spent))
  }
  for (const pool of [facts, prose, user]) yield* take(pool, budget - spent)
  return { ledger, lines: taken }
}

interface Taking {
  readonly room: number
  readonly taken: Map<number, Section>
  readonly covered: Set<number>
}

function* takeFromPool(
  source: Source,
  pool: Pool,
  { room, taken, covered }: Taking,
): Sliced<number> {
  const held = yield* pausing(source.lines, (line) =>
    taken.has(line.position) || !pool.holds(line, source) ? undefined : line,
  )
  const lines = held.filter((line) => line !== undefined)
  const candidates = yield* pausing(lines, (line) => candidateOf(source, pool, line, covered))
  const rules = { budget: room, exponent: pool.exponent, weightOf: weightIn(source, pool), covered }
  let cost = 0
  for (const index of yield* takeGreedy(candidates, rules)) {
    const line = lines[index]
    if (!line) continue
    taken.set(line.position, sectionIn(pool, line))
    cost += source.costOf(line)
  }
  return cost
}

/** What covers nothing new is never taken: it need not be counted. */
function candidateOf(
  source: Source,
  pool: Pool,
  line: Line,
  covered: ReadonlySet<number>,
): Candidate {
  const concepts = pool.concepts(line, source).filter((concept) => !covered.has(concept))
  if (concepts.length === 0) return { cost: 0, concepts, factor: 0 }
  return { cost: source.costOf(line), concepts, factor: pool.factor(line, source) }
}

function weightIn({ concepts }: Source, { entityScale = 1 }: Pool): GreedyRules['weightOf'] {
  if (entityScale === 1) return concepts.weightOf
  return (concept) => concepts.weightOf(concept) * (concepts.isEntity(concept) ? entityScale : 1)
}

/** A line taken for its exact strings, or for what was named, stands where its speaker's lines stand. */
function sectionIn({ name }: Pool, line: Line): Section {
  if (name !== 'facts' && name !== 'focus') return name
  return line.origin === 'user' ? 'user' : 'facts'
}

function takeLedger(source: Source, room: number, covered: Set<number>): Sliced<readonly number[]> {
  const worth = new Map<number, number>()
  const candidates = source.ledger.map(({ path }, index) => {
    const concept = source.concepts.numberOf('entity', path, () => 0)
    worth.set(concept, 1 + index / source.ledger.length)
    return { cost: source.ledgerCosts[index] ?? 0, concepts: [concept], factor: 1 }
  })
  const weightOf = (concept: number) => worth.get(concept) ?? 0
  return takeGreedy(candidates, { budget: room, exponent: 0.8, weightOf, covered })
}

/** The newest plan word for word and the last thing the assistant said: what summaries lose first (QUALITY 5.1). */
function takeFixed(source: Source, room: number, taken: Map<number, Section>): number {
  const last = source.lines.findLast((line) => line.origin === 'assistant')
  let cost = 0
  for (const line of [...newestPlan(source.lines), ...(last ? [last] : [])]) {
    const price = source.costOf(line)
    if (taken.has(line.position) || cost + price > room) continue
    taken.set(line.position, 'position')
    cost += price
  }
  return cost
}

function newestPlan(lines: readonly Line[]): readonly Line[] {
  const end = lines.findLastIndex((line) => isPlanLine(line.text))
  if (end === -1) return []
  let from = end
  while (from > 0 && isPlanLine(lines[from - 1]?.text ?? '')) from--
  return lines.slice(from, end + 1)
}

/** Headings are those of the prompt for a model, so that both kinds of checkpoint read alike (QUALITY 3.3). */
const HEADINGS: readonly (readonly [Section, string])[] = [
  ['user', '## User rules and requests'],
  ['facts', '## Facts'],
  ['prose', '## Decisions'],
  ['errors', '## Failures'],
  ['position', '## Position'],
]

function trimToBudget(
  source: Source,
  selection: Selection,
  budget: number,
  countText: (text: string) => number,
): string {
  const order = [...selection.lines.keys()]
  let ledger = selection.ledger
  for (;;) {
    const text = compose(source, {
      ledger,
      lines: new Map(order.map((at) => [at, sectionAt(selection, at)])),
    })
    if (countText(text) <= budget || (order.length <= 1 && ledger.length === 0)) return text
    if (order.length > 1) order.pop()
    else ledger = ledger.slice(0, -1)
  }
}

function sectionAt(selection: Selection, position: number): Section {
  return selection.lines.get(position) ?? 'facts'
}

function compose(source: Source, selection: Selection): string {
  const sections = HEADINGS.flatMap(([section, heading]) => {
    const positions = [...selection.lines]
      .filter(([, where]) => where === section)
      .map(([at]) => at)
    return positions.length === 0 ? [] : [`${heading}\n${quoteLines(source, positions)}`]
  })
  const rows = [...selection.ledger]
    .sort((left, right) => left - right)
    .map((row) => source.ledger[row]?.text)
  const artifacts = rows.length === 0 ? [] : [`## Artifacts\n${rows.join('\n')}`]
  return [extentOf(source, selection), ...sections, ...artifacts].join('\n')
}

/** How much of the recording stands below: what a reader cannot see is left out must be said. */
function extentOf(source: Source, selection: Selection): string {
  return `[${selection.lines.size} of ${source.lines.length} lines of ${source.unitCount} messages]`
}

/** Lines in their own order; the tag is said once for neighbours of one speaker. */
function quoteLines(source: Source, positions: readonly number[]): string {
  const lines = [...positions]
    .sort((left, right) => left - right)
    .flatMap((at) => source.lines[at] ?? [])
  return lines
    .map((line, index) => {
      const before = lines[index - 1]
      const isSame = before?.unitIndex === line.unitIndex && before.tag === line.tag
      const text = escapeTags(line.text)
      return isSame ? `${gapBetween(before, line)}${text}` : `${line.tag} ${text}`
    })
    .join('\n')
}

function gapBetween(before: Line, line: Line): string {
  const gap = line.position - before.position - 1
  return gap > 0 ? `… (${gap} ${gap === 1 ? 'line' : 'lines'})\n` : ''
}
