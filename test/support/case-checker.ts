import { isDeepStrictEqual } from 'node:util'
import type {
  CaseExpectation,
  CaseInput,
  Judged,
  Marks,
  Observed,
  Problem,
  SummaryRequest,
} from './case-types.ts'
import { invariants, withoutOutput } from './checks/index.ts'
import { partsOf } from './checks/size.ts'
import { isRecord } from './native.ts'
import { occurrences, textsOfRequest } from './texts.ts'

/** What a check needs beside the case and the run. */
export interface CheckOptions {
  readonly marks: Marks
  /** Checks that this issue leaves out, by name; a part of one as `invariant:part`. */
  readonly deferred?: ReadonlySet<string>
}

/**
 * Judges one run of a case by the README of the cases. Gives back everything that does not hold; an empty list
 * is a pass. An invariant that nobody wrote a check for is a problem too, never a silent pass.
 */
export function checkCase(
  input: CaseInput,
  expectation: CaseExpectation,
  observed: Observed,
  { marks, deferred = new Set() }: CheckOptions,
): Problem[] {
  const output = observed.output ?? { messages: [] }
  const isDeferred = (name: string): boolean => deferred.has(name)
  const judged: Judged = { input: grown(input), expectation, observed, output, marks, isDeferred }
  const all: readonly (readonly [string, readonly string[]])[] = [
    ['outcome', outcomeProblems(judged)],
    ['summarizer', summarizerProblems(judged)],
    ['triggerChecks', isDeferred('triggerChecks') ? [] : triggerProblems(judged)],
    ['texts', observed.output === undefined ? [] : textProblems(judged)],
    ['system and tools', observed.output === undefined ? [] : frameProblems(judged)],
    ...expectation.invariants
      .filter((name) => !isDeferred(name))
      .map((name): [string, readonly string[]] => [name, invariantProblems(name, judged)]),
  ]
  return all.flatMap(([check, details]) => details.map((detail) => ({ check, detail })))
}

/** The input with everything that its script appends. */
function grown(input: CaseInput): CaseInput {
  const appended = (input.then ?? []).flatMap((step) => step.append ?? [])
  return appended.length === 0 ? input : { ...input, messages: [...input.messages, ...appended] }
}

function invariantProblems(name: string, judged: Judged): readonly string[] {
  const check = invariants[name]
  if (check === undefined) return ['nobody wrote a check for this invariant']
  if (judged.observed.output === undefined && !withoutOutput.has(name))
    return ['not observed: output']
  return check(judged)
}

function outcomeProblems({ input, expectation, observed, output }: Judged): string[] {
  const { outcome } = expectation
  const code = isRecord(observed.error) ? observed.error.code : observed.error
  if (outcome.startsWith('error:')) {
    return code === outcome.slice('error:'.length)
      ? []
      : [`asked for ${outcome}, got ${String(code)}`]
  }
  if (observed.error !== undefined) return [`asked for ${outcome}, got the error ${String(code)}`]
  const isSame = isDeepStrictEqual(partsOf(output), partsOf(input))
  if (outcome === 'unchanged') return isSame ? [] : ['the messages are not equal to the input']
  const said = observed.report?.outcome
  return [
    ...(isSame ? ['the messages are those of the input'] : []),
    ...(said === 'compacted' ? [] : [`the report says ${String(said)}`]),
  ]
}

function summarizerProblems({ expectation, observed }: Judged): string[] {
  const requests = observed.summarizerRequests.map(fullText)
  const most = expectation.maxSummarizerCalls ?? Number.POSITIVE_INFINITY
  const missing = (expectation.summarizerMustContain ?? []).filter(
    (text) => !requests.some((request) => request.includes(text)),
  )
  const leaked = (expectation.summarizerMustNotContain ?? []).filter((text) =>
    requests.some((request) => request.includes(text)),
  )
  return [
    ...(requests.length > most
      ? [`${requests.length} summary calls, at most ${most} allowed`]
      : []),
    ...missing.map((text) => `no summary request contains ${quote(text)}`),
    ...leaked.map((text) => `a summary request contains ${quote(text)}`),
  ]
}

function fullText(request: SummaryRequest): string {
  return `${request.system}\n${request.prompt}`
}

function textProblems({ expectation, output }: Judged): string[] {
  const texts = textsOfRequest(output)
  const times = [
    ...(expectation.mustOccurOnce ?? []).map((text): [string, number] => [text, 1]),
    ...Object.entries(expectation.mustOccurTimes ?? {}),
  ]
  return [
    ...expectation.mustKeepVerbatim
      .filter((text) => !texts.some((other) => other.includes(text)))
      .map((text) => `no text contains ${quote(text)}`),
    ...expectation.mustNotContain
      .filter((text) => texts.some((other) => other.includes(text)))
      .map((text) => `a text contains ${quote(text)}`),
    ...times.flatMap(([text, asked]) => {
      const found = texts.reduce((sum, other) => sum + occurrences(other, text), 0)
      return found === asked ? [] : [`${quote(text)} occurs ${found} times, asked for ${asked}`]
    }),
    ...orderProblems(expectation.mustOccurInOrder ?? [], texts.join('\n')),
  ]
}

function orderProblems(wanted: readonly string[], text: string): string[] {
  let from = 0
  for (const part of wanted) {
    const at = text.indexOf(part, from)
    if (at === -1) return [`${quote(part)} does not follow what it should follow`]
    from = at + part.length
  }
  return []
}

/** The output is the messages with system text and tools as they were; cache marks may move. */
function frameProblems({ input, output }: Judged): string[] {
  const isSame =
    isDeepStrictEqual(output.system, input.system) && isDeepStrictEqual(output.tools, input.tools)
  return isSame ? [] : ['system text or tools were changed']
}

function triggerProblems({ expectation, observed }: Judged): string[] {
  const asked = expectation.triggerChecks ?? []
  if (asked.length === 0) return []
  if (observed.triggers === undefined) return ['not observed: triggers']
  return asked.flatMap(({ usageShape, contextTokens, due }, index) => {
    const seen = observed.triggers?.[index]
    const isRight = seen?.contextTokens === contextTokens && seen.due === due
    return isRight ? [] : [`usage ${index} (${usageShape}) was read as ${JSON.stringify(seen)}`]
  })
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
