import { collapseRepeatedFailures } from './collapse-repeated-failures.ts'
import { dropStaleMedia } from './drop-stale-media.ts'
import { dropStaleReasoning } from './drop-stale-reasoning.ts'
import { evictSupersededResults } from './evict-superseded-results.ts'
import { squashLargeResults } from './squash-large-results.ts'
import { thinOldResults } from './thin-old-results.ts'

/** The passes, in the order in which they run (SEEDS 5, "Order of passes"). */
export const defaultPasses = [
  squashLargeResults,
  evictSupersededResults,
  collapseRepeatedFailures,
  dropStaleReasoning,
  dropStaleMedia,
  thinOldResults,
] as const

/** The name of a pass. */
export type PassName = (typeof defaultPasses)[number]['name']

/** Options by pass; `false` switches a pass off. Derived from the list, so a new pass needs no second place. */
export type PassOptions = {
  readonly [P in (typeof defaultPasses)[number] as P['name']]?: Partial<P['defaults']> | false
}
