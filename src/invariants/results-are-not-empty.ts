import type { Invariant } from '../core/invariant.ts'

/**
 * The content of a result does not become empty: several gateways refuse `""` (FORMATS 1, rule 4). Results that
 * arrive empty pass as they are.
 */
export const resultsAreNotEmpty: Invariant = {
  name: 'results-are-not-empty',
  refusedBy: [],
  check: (view) =>
    view.units.flatMap((unit) =>
      unit.parts
        .filter((part) => part.type === 'tool-result' && part.text === '')
        .map((part) => ({
          rule: resultsAreNotEmpty.name,
          key: `${part.seq} ${part.index}`,
          message: `a result in message ${unit.seq} is empty`,
        })),
    ),
}
