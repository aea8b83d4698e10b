import { contextTokens, readUsage } from '../../src/meter/usage.ts'
import type { CaseExpectation, Observed } from '../support/case-types.ts'

/** Reads each usage report of a case; a report that says nothing stands as not due, of no tokens. */
export function readTriggers({
  triggerChecks = [],
}: CaseExpectation): NonNullable<Observed['triggers']> {
  return triggerChecks.map(({ usage, threshold }) => {
    const read = readUsage(usage)
    const tokens = read ? contextTokens(read) : 0
    return { contextTokens: tokens, due: tokens >= threshold }
  })
}
