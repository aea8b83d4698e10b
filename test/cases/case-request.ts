import type { TampOptions } from '../../src/index.ts'
import { defaultPasses } from '../../src/passes/index.ts'
import type { CaseExpectation, CaseInput } from '../support/case-types.ts'
import type { Native, NativeRequest } from '../support/native.ts'

/** A case as a request that may be handed to Tamp. */
export type CaseRequest = NativeRequest & Native

/** The cases whose summarizer is scripted to fail: they run without the model-free one (README of the cases). */
const WITHOUT_FALLBACK = /^2[0-2]-/

/** Gives back the options that a case runs with. */
export function optionsOf(expectation: CaseExpectation): TampOptions {
  const { cheapPasses, refusalPrefixes, case: name } = expectation
  const off = Object.fromEntries(defaultPasses.map((pass) => [pass.name, false]))
  return {
    ...(cheapPasses === false ? { passes: off } : {}),
    ...(refusalPrefixes === undefined ? {} : { refusalPrefixes }),
    ...(WITHOUT_FALLBACK.test(name) ? { fallback: 'none' } : {}),
  }
}

/** Gives back the request of a case, of a model of its own provider. */
export function asRequest(input: CaseInput): CaseRequest {
  const model =
    input.format === 'openai-chat' ? { model: 'gpt-4o' } : { model: 'claude', max_tokens: 1000 }
  return { ...model, ...partsOf(input) }
}

/** Gives back what the checks compare of a request. */
export function partsOf(request: NativeRequest): NativeRequest {
  const { system, tools, messages } = request
  return {
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools }),
    messages,
  }
}
