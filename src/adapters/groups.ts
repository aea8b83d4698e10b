import type { Part, Unit } from '../core/model.ts'

/** Units that are sent as one message. */
export function groupsOf(units: readonly Unit[]): readonly (readonly Unit[])[] {
  const groups: Unit[][] = []
  for (const unit of units) {
    if (unit.joined && groups.length > 0) groups[groups.length - 1]?.push(unit)
    else groups.push([unit])
  }
  return groups
}

/** The parts of joined units; where their speakers differ, the joined text names its own (SEEDS M20). */
export function namedParts(group: readonly Unit[]): readonly Part[] {
  const names = new Set(group.map((unit) => unit.name))
  if (names.size < 2) return group.flatMap((unit) => unit.parts)
  return group.flatMap((unit, index) => {
    if (index === 0 || unit.name === undefined) return unit.parts
    const label: Part = { type: 'text', seq: -1, index: -1, text: `[${unit.name}]` }
    return [label, ...unit.parts]
  })
}
