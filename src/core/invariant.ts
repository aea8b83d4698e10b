import { applyEdits, composeEdits, type Edit } from './edit.ts'
import type { Format, View } from './model.ts'
import type { Sliced } from './sliced.ts'

/** A rule that a view breaks, at a place. */
export interface Violation {
  readonly rule: string
  /** What breaks it: a call id or the `seq` of a unit. The same fault has the same key before and after edits. */
  readonly key: string
  readonly message: string
}

/**
 * One rule about what may be sent. It answers two questions: where may the history be cut, and does it hold.
 * A rule that can be mended has a third answer: the edits that mend it, never inventing output.
 */
export interface Invariant {
  readonly name: string
  /** The formats whose providers refuse a request that breaks it; the others keep it as a common rule. */
  readonly refusedBy: readonly Format[]
  /** For each position 0 … `units.length`, whether a tail may start there. Absent: it forbids no cut. */
  readonly cuts?: (view: View) => readonly boolean[]
  readonly check: (view: View) => readonly Violation[]
  readonly repair?: (view: View) => readonly Edit[]
}

/** Gives back, for each position 0 … `units.length`, whether every rule allows a tail to start there. */
export function legalCuts(view: View, invariants: readonly Invariant[]): readonly boolean[] {
  const legal = new Array<boolean>(view.units.length + 1).fill(true)
  for (const invariant of invariants) {
    const cuts = invariant.cuts?.(view)
    if (cuts)
      for (const [position, allowed] of cuts.entries()) if (!allowed) legal[position] = false
  }
  return legal
}

/** Gives back what the view breaks, over all rules, in the order of the list. It pauses after each rule. */
export function* violations(
  view: View,
  invariants: readonly Invariant[],
): Sliced<readonly Violation[]> {
  const found: Violation[] = []
  for (const invariant of invariants) {
    for (const violation of invariant.check(view)) found.push(violation)
    yield
  }
  return found
}

/** The rules that the provider of this view's format enforces. */
export function enforcedRules(view: View, invariants: readonly Invariant[]): readonly Invariant[] {
  return invariants.filter((invariant) => invariant.refusedBy.includes(view.format))
}

/** Gives back the violations of `after` that `before` did not have. */
export function newViolations(
  before: readonly Violation[],
  after: readonly Violation[],
): readonly Violation[] {
  const known = new Set(before.map((violation) => `${violation.rule} ${violation.key}`))
  return after.filter((violation) => !known.has(`${violation.rule} ${violation.key}`))
}

/** One repair may uncover the next (an emptied message joins its neighbours); more rounds than rules are never needed. */
const MAX_ROUNDS = 8

/** Edits with the repairs of a view among them. */
export interface Repaired {
  readonly edits: readonly Edit[]
  /** The rules that were mended. */
  readonly mended: readonly string[]
}

/**
 * Gives back `edits` with the repairs that the given rules want for the view those edits make, and the names
 * of the rules that were mended.
 */
export function* repairEdits(
  base: View,
  edits: readonly Edit[],
  invariants: readonly Invariant[],
): Sliced<Repaired> {
  let all = edits
  let view = applyEdits(base, all)
  const mended = new Set<string>()
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = all
    for (const invariant of invariants) {
      yield
      if (!invariant.repair || invariant.check(view).length === 0) continue
      const repairs = invariant.repair(view)
      if (repairs.length === 0) continue
      mended.add(invariant.name)
      all = composeEdits(all, repairs)
      view = applyEdits(base, all)
    }
    if (all === before) break
  }
  return { edits: all, mended: [...mended] }
}
