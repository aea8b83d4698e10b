/** What a {@link TampError} can be about. Codes survive the worker boundary; messages are for people. */
export type TampErrorCode =
  | 'cannot-fit'
  | 'summary-rejected'
  | 'summarizer-unavailable'
  | 'storage-failed'
  | 'quota-exceeded'
  | 'newer-version'
  | 'deleted'
  | 'engine-lost'
  | 'invalid-conversation'
  | 'unknown-format'
  | 'ranks-unavailable'

/** Plain facts about a failure: numbers, names, paths. They cross the worker boundary as they are. */
export type ErrorDetails = Readonly<Record<string, unknown>>

/** A failure as plain data, as it crosses the worker boundary. */
export interface ErrorData {
  readonly code: TampErrorCode | undefined
  readonly name: string
  readonly message: string
  readonly details: ErrorDetails
}

/**
 * Every failure that Tamp itself names. Recognise it by `code`, never by `instanceof`: errors cross realms.
 *
 * `cannot-fit` carries `details.cause` (`overhead`, `newest` or `floor`) and the numbers that say why;
 * `ranks-unavailable`, for a file that tokens are counted with, `details.url` and `details.cause`.
 */
export class TampError extends Error {
  readonly code: TampErrorCode
  readonly details: ErrorDetails

  constructor(code: TampErrorCode, message: string, details: ErrorDetails = {}) {
    super(message)
    this.name = 'TampError'
    this.code = code
    this.details = details
  }
}

/** True for an error of Tamp's own with one of the codes. */
export function hasCode(error: unknown, ...codes: readonly TampErrorCode[]): error is TampError {
  return error instanceof TampError && codes.includes(error.code)
}

/** The error for a request that no provider could read: what is wrong, and where. */
export function invalidConversation(path: string, problem: string): TampError {
  return new TampError('invalid-conversation', `${path} ${problem}`, { path, problem })
}

/** Gives back the failure as plain data. Anything that is no error becomes its text. */
export function errorToData(error: unknown): ErrorData {
  if (error instanceof TampError) {
    return { code: error.code, name: error.name, message: error.message, details: error.details }
  }
  const { name, message } =
    error instanceof Error ? error : { name: 'Error', message: String(error) }
  return { code: undefined, name, message, details: {} }
}

/** Rebuilds the error that {@link errorToData} took apart. */
export function errorFromData(data: ErrorData): Error {
  if (data.code !== undefined) return new TampError(data.code, data.message, data.details)
  const error = new Error(data.message)
  error.name = data.name
  return error
}
