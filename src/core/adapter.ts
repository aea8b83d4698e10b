import type { Dialect, Format, Unit, View } from './model.ts'

/** What stands before the conversation in a request and no edit reaches. */
export interface RequestHead {
  /** All system text. */
  readonly systemText: string
  /** Number of system messages that frame it; 0 where the request holds it in a field of its own. */
  readonly systemMessages: number
  /** Tool schemas and output schema as JSON; empty where there are none. */
  readonly toolsText: string
  readonly model: string | undefined
  /** The request's own limit on the answer. */
  readonly outputTokens: number | undefined
  /** Cache marks on system text and tools, which no edit reaches. */
  readonly cacheMarks: number
}

/** A request as Tamp reads it. */
export interface ReadRequest {
  readonly view: View
  readonly head: RequestHead
}

/** What the page's side knows of a format: enough to take a request apart, nothing of how messages are read. */
export interface Shape {
  readonly format: Format
  /** The fields of a request that are read; nothing else crosses to the worker. */
  readonly fields: readonly string[]
  /** The field that holds the list of messages. */
  readonly listField: string
  /** Models of the maker, which decide where a request has the shape of several formats. */
  readonly models: RegExp
  /** How sure the shape of a request is to be of this format. */
  readonly recognise: (request: Readonly<Record<string, unknown>>) => 'yes' | 'maybe' | 'no'
  /** How many messages at the start of the list are state of the request (system text), not units. */
  readonly leadingMessages: (messages: readonly unknown[]) => number
}

/**
 * Reads a provider's request and writes edits back onto the very same native objects. What no edit touches is
 * passed on as it is, unknown fields and the order of keys included.
 */
export interface Adapter extends Shape {
  readonly dialect: Dialect
  /** Reads what stands before the conversation; behind the leading messages the list may be left out. */
  readonly readHead: (request: Readonly<Record<string, unknown>>) => RequestHead
  /**
   * Reads one message, by itself alone. `path` names it in errors. Throws `invalid-conversation` for what the
   * provider could not read either.
   */
  readonly readMessage: (
    message: Readonly<Record<string, unknown>>,
    seq: number,
    path: string,
  ) => Unit
  /** Gives back the request itself where the view has no edits. */
  readonly write: <R extends object>(request: R, view: View) => R
}
