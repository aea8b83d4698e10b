import { textOf, type Unit } from '../core/model.ts'
import { type Entity, type EntityType, entitiesOf, typeWeight } from './entities.ts'
import type { Line, LineOrigin } from './lines.ts'

/** How much an exact string of the fold is likely to be needed again, and where it stands. */
export interface Salience {
  readonly type: EntityType
  readonly text: string
  /** Relative weight; 0 where the string stays in the request anyway (QUALITY 3.2). */
  readonly weight: number
  /** Units that mention it. */
  readonly units: number
  readonly saidByPerson: boolean
  /** The line that says most about it: the newest one of its strongest origin. */
  readonly line: Line
}

/** Weights by where a string was seen (QUALITY 3.2, base rates over 26 cut points). */
const ORIGIN_WEIGHT: Readonly<Record<LineOrigin, number>> = {
  call: 1,
  user: 0.6,
  assistant: 0.6,
  error: 0.2,
  result: 0.12,
}
const AGE_EXPONENT = -0.25

/** The exact strings of a fold, by their text, with the strings of each line. */
export interface SalienceIndex {
  readonly byText: ReadonlyMap<string, Salience>
  /** The entities of each line, by the line's position. */
  readonly ofLine: readonly (readonly Entity[])[]
}

/** Gives back the index over the lines of a fold; strings that `kept` units hold weigh nothing. */
export function salienceOf(
  lines: readonly Line[],
  unitCount: number,
  kept: readonly Unit[],
): SalienceIndex {
  const ofLine = lines.map((line) => entitiesOf(line.text))
  const keptTexts = keptEntities(kept)
  const seen = new Map<string, Sighting>()
  for (const [position, line] of lines.entries()) {
    for (const entity of ofLine[position] ?? []) record(seen, entity, line)
  }
  const byText = new Map<string, Salience>()
  for (const [text, sighting] of seen) {
    byText.set(text, rated(sighting, unitCount, keptTexts.has(text)))
  }
  return { byText, ofLine }
}

function keptEntities(kept: readonly Unit[]): ReadonlySet<string> {
  const texts = kept.flatMap((unit) => unit.parts.map(textOf))
  return new Set(texts.flatMap((text) => entitiesOf(text).map((entity) => entity.text)))
}

interface Sighting {
  readonly entity: Entity
  readonly units: Set<number>
  line: Line
  saidByPerson: boolean
}

function record(seen: Map<string, Sighting>, entity: Entity, line: Line): void {
  const sighting = seen.get(entity.text)
  if (!sighting) {
    const units = new Set([line.unitIndex])
    seen.set(entity.text, { entity, units, line, saidByPerson: line.origin === 'user' })
    return
  }
  sighting.units.add(line.unitIndex)
  sighting.saidByPerson ||= line.origin === 'user'
  if (ORIGIN_WEIGHT[line.origin] >= ORIGIN_WEIGHT[sighting.line.origin]) sighting.line = line
}

function rated(sighting: Sighting, unitCount: number, isKept: boolean): Salience {
  const { entity, line, units, saidByPerson } = sighting
  const age = Math.max(0, unitCount - 1 - line.unitIndex)
  const weight =
    ORIGIN_WEIGHT[line.origin] *
    recurrence(units.size) *
    typeWeight[entity.type] *
    (1 + age) ** AGE_EXPONENT
  return { ...entity, weight: isKept ? 0 : weight, units: units.size, saidByPerson, line }
}

function recurrence(units: number): number {
  if (units >= 4) return 1
  return units >= 2 ? 0.6 : 0.25
}

/** Gives back the strings most likely to be needed again, most likely first (QUALITY 5.2: about 40). */
export function topEntities(index: SalienceIndex, count: number): readonly Salience[] {
  return [...index.byText.values()]
    .filter((salience) => salience.weight > 0)
    .sort((left, right) => right.weight - left.weight || left.line.position - right.line.position)
    .slice(0, count)
}
