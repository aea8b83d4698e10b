/**
 * Work that may be interrupted: it yields wherever its caller may do something else first, after bounded work each
 * time. What it gives back does not depend on what happens in between.
 */
export type Sliced<T> = Generator<undefined, T, undefined>

/** Runs the work to its end and gives back what it comes to. */
export function finished<T>(work: Sliced<T>): T {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

/** After so many of a loop's rounds work yields: as many as take less than a millisecond. */
const ROUNDS = 64

/** Gives back the items with a pause after every few. */
export function* pausing<T, R>(
  items: readonly T[],
  visit: (item: T, index: number) => R,
): Sliced<R[]> {
  const results: R[] = []
  for (let index = 0; index < items.length; index++) {
    results.push(visit(items[index] as T, index)) // below the length
    if (index % ROUNDS === ROUNDS - 1) yield
  }
  return results
}
