import { localEngine } from '../../src/entries/local.ts'
import { createTamp, type TampOptions } from '../../src/index.ts'
import { defaultPasses } from '../../src/passes/index.ts'
import type { CaseFile } from '../support/case-files.ts'
import type { Observed } from '../support/case-types.ts'
import type { Native, NativeRequest } from '../support/native.ts'
import { rerunPasses } from './rerun-passes.ts'
import { scriptedSummarizer } from './scripted-summarizer.ts'

/** The cases whose summarizer is scripted to fail: they run without the model-free one (README of the cases). */
const WITHOUT_FALLBACK = /^2[0-2]-/

/** Runs a case through `fit` on the local engine and gives back everything that can be seen of it. */
export async function runCase({ input, expectation }: CaseFile): Promise<Observed> {
  const request = asRequest({ input, expectation })
  const inputBefore = structuredClone(partsOf(request))
  const first = await fitOnce({ input, expectation }, request)
  const seen = {
    summarizerRequests: first.requests,
    summaries: first.texts,
    inputBefore,
    inputAfter: partsOf(request),
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

type CaseRequest = NativeRequest & Native

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

function optionsOf(expectation: CaseFile['expectation']): TampOptions {
  const { cheapPasses, refusalPrefixes, case: name } = expectation
  const off = Object.fromEntries(defaultPasses.map((pass) => [pass.name, false]))
  return {
    ...(cheapPasses === false ? { passes: off } : {}),
    ...(refusalPrefixes === undefined ? {} : { refusalPrefixes }),
    ...(WITHOUT_FALLBACK.test(name) ? { fallback: 'none' } : {}),
  }
}

function asRequest({ input }: CaseFile): CaseRequest {
  const model =
    input.format === 'openai-chat' ? { model: 'gpt-4o' } : { model: 'claude', max_tokens: 1000 }
  return { ...model, ...partsOf(input) }
}

function partsOf(request: CaseRequest | NativeRequest): NativeRequest {
  const { system, tools, messages } = request
  return {
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools }),
    messages,
  }
}
