import type { CaseExpectation, CaseInput, Observed } from './case-types.ts'
import { invariants } from './checks/index.ts'
import { plainMarks } from './marks.ts'
import type { Native } from './native.ts'

/** A made-up run of a case, for tests of the checker: what is left out is as in a good run. */
export interface MadeUpRun {
  readonly format?: CaseInput['format']
  readonly input: readonly Native[]
  readonly output: readonly Native[]
  readonly system?: unknown
  readonly expectation?: Partial<CaseExpectation>
  readonly observed?: Partial<Observed>
  readonly deferred?: readonly string[]
}

/** An expectation that asks for nothing, with the given fields laid over it. */
export function expecting(fields: Partial<CaseExpectation>): CaseExpectation {
  return {
    case: '00-made-up',
    format: 'openai-chat',
    limitTokens: 1000,
    inputTokens: 0,
    overheadTokens: 0,
    outcome: 'compacted',
    mustKeepVerbatim: [],
    mustNotContain: [],
    invariants: [],
    ...fields,
  }
}

/** What a good run lets one see, with the given fields laid over it. */
export function observing(run: MadeUpRun): Observed {
  const [input, output] = [{ messages: run.input }, { messages: run.output }]
  return {
    output,
    report: { outcome: 'compacted', reason: undefined },
    summarizerRequests: [],
    summaries: [],
    inputBefore: structuredClone(input),
    inputAfter: input,
    ...run.observed,
  }
}

/** The sentences in which one invariant faults a made-up run. */
export function judge(invariant: string, run: MadeUpRun): readonly string[] {
  const format = run.format ?? 'openai-chat'
  const observed = observing(run)
  const check = invariants[invariant]
  if (check === undefined) throw new RangeError(`there is no invariant ${invariant}`)
  return check({
    input: { case: '00-made-up', format, messages: run.input },
    expectation: expecting({ format, ...run.expectation }),
    observed,
    output: observed.output ?? { messages: run.output, system: run.system },
    marks: plainMarks,
    isDeferred: (name) => (run.deferred ?? []).includes(name),
  })
}
