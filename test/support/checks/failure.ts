import type { Check, Judged } from '../case-types.ts'
import { isRecord } from '../native.ts'
import { textsOfRequest } from '../texts.ts'

/** The caller gets a named error or status with its cause, and no error text stands in the conversation. */
export const failureReported: Check = ({ expectation, observed, output }) => {
  const texts = textsOfRequest(output)
  const leaked = (expectation.summarizer?.replies ?? []).flatMap(({ error, reasoning }) => {
    return [error, reasoning].filter(
      (text) => text !== undefined && texts.some((other) => other.includes(text)),
    )
  })
  return [
    ...(isNamed(observed) ? [] : ['the failure was silent']),
    ...leaked.map((text) => `the conversation holds ${JSON.stringify(text)}`),
  ]
}

function isNamed({ error, report }: Judged['observed']): boolean {
  if (isRecord(error) && typeof error.code === 'string' && error.code !== '') return true
  return report?.outcome === 'failed' && (report.reason ?? '').trim() !== ''
}

/** The error has a stable name and carries overhead and limit as numbers. */
export const errorNamesCause: Check = ({ expectation, observed }) => {
  const error = observed.error
  if (!isRecord(error) || typeof error.code !== 'string') return ['there is no error with a code']
  const details = isRecord(error.details) ? error.details : {}
  const { overheadTokens, limitTokens } = details
  return [
    ...(limitTokens === expectation.limitTokens
      ? []
      : [`details.limitTokens is ${String(limitTokens)}`]),
    ...(typeof overheadTokens === 'number' && overheadTokens >= expectation.limitTokens
      ? []
      : [`details.overheadTokens is ${String(overheadTokens)}`]),
    ...(typeof details.cause === 'string' ? [] : ['details.cause is missing']),
  ]
}
