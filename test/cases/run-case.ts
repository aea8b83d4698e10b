import { localEngine } from '../../src/entries/local.ts'
import { createTamp } from '../../src/index.ts'
import type { CaseFile } from '../support/case-files.ts'
import type { Observed } from '../support/case-types.ts'
import { asRequest, type CaseRequest, optionsOf, partsOf } from './case-request.ts'
import { rerunPasses } from './rerun-passes.ts'
import { scriptedSummarizer } from './scripted-summarizer.ts'
import { readTriggers } from './triggers.ts'

/** Runs a case through `fit` on the local engine and gives back everything that can be seen of it. */
export async function runCase({ input, expectation }: CaseFile): Promise<Observed> {
  const request = asRequest(input)
  const inputBefore = structuredClone(partsOf(request))
  const first = await fitOnce({ input, expectation }, request)
  const seen = {
    summarizerRequests: first.requests,
    summaries: first.texts,
    inputBefore,
    inputAfter: partsOf(request),
    triggers: readTriggers(expectation),
  }
  if (!('request' in first)) return { ...seen, output: undefined, error: first.error }
  const second = await fitOnce({ input, expectation }, first.request)
  return {
    ...seen,
    output: partsOf(first.request),
    report: first.report,
    secondRun: {
      output: 'request' in second ? partsOf(second.request) : undefined,
      summarizerCalls: second.requests.length,
    },
    passReruns: rerunPasses(input, new Set(first.report.steps.map((step) => step.name))),
  }
}

async function fitOnce({ input, expectation }: CaseFile, request: CaseRequest) {
  const script = scriptedSummarizer(expectation.summarizer)
  const tamp = createTamp({
    engine: localEngine(),
    summarizer: script.summarizer,
    ...optionsOf(expectation),
  })
  const seen = { requests: script.requests, texts: script.texts }
  try {
    const { limitTokens } = expectation
    return { ...seen, ...(await tamp.fit(request, { limitTokens, format: input.format })) }
  } catch (error) {
    return { ...seen, error }
  } finally {
    await tamp.close()
  }
}
