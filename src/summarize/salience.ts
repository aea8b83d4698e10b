import { textOf, type Unit } from '../core/model.ts'
import { pausing, type Sliced } from '../core/sliced.ts'
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
export function* salienceOf(
  lines: readonly Line[],
  unitCount: number,
  kept: readonly Unit[],
): Sliced<SalienceIndex> {
  const ofLine = yield* pausing(lines, (line) => entitiesOf(line.text))
  const keptTexts = yield* keptEntities(kept)
  const seen = new Map<string, Sighting>()
  yield* pausing(lines, (line, position) => {
    for (const entity of ofLine[position] ?? []) record(seen, entity, line)
  })
  const byText = new Map<string, Salience>()
  const ages = Float64Array.from({ length: unitCount }, (_, age) => (1 + age) ** AGE_EXPONENT)
  yield* pausing([...seen], ([text, sighting]) =>
    byText.set(text, rated(sighting, ages, keptTexts.has(text))),
  )
  return { byText, ofLine }
}

function* keptEntities(kept: readonly Unit[]): Sliced<ReadonlySet<string>> {
  const texts = new Set<string>()
  for (const unit of kept) {
    for (const part of unit.parts) {
      for (const entity of entitiesOf(textOf(part))) texts.add(entity.text)
    }
    yield
  }
  return texts
}

interface Sighting {
  readonly entity: Entity
  /** Units that mention it, and the last of them. */
  units: number
  lastUnit: number
  line: Line
  saidByPerson: boolean
}

function record(seen: Map<string, Sighting>, entity: Entity, line: Line): void {
  const sighting = seen.get(entity.text)
  if (!sighting) {
    const saidByPerson = line.origin === 'user'
    seen.set(entity.text, { entity, units: 1, lastUnit: line.unitIndex, line, saidByPerson })
    return
  }
  if (sighting.lastUnit !== line.unitIndex) sighting.units++
  sighting.lastUnit = line.unitIndex
  sighting.saidByPerson ||= line.origin === 'user'
  if (ORIGIN_WEIGHT[line.origin] >= ORIGIN_WEIGHT[sighting.line.origin]) sighting.line = line
}

function rated(sighting: Sighting, ages: Float64Array, isKept: boolean): Salience {
  const { entity, line, units, saidByPerson } = sighting
  const age = ages[Math.max(0, ages.length - 1 - line.unitIndex)] ?? 0
  const weight = ORIGIN_WEIGHT[line.origin] * recurrence(units) * typeWeight[entity.type] * age
  return { ...entity, weight: isKept ? 0 : weight, units, saidByPerson, line }
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
