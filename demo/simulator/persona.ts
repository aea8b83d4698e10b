import type { SummaryMarks } from './facts.ts'
import type { ChatRequest } from './protocol.ts'

/** A tool that a persona wants to run. */
export interface PlannedCall {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
}

/** What a persona answers: text, calls, or both. */
export interface Reply {
  readonly text: string
  readonly calls: readonly PlannedCall[]
}

/** Answers a request from nothing but the request. */
export type Persona = (request: ChatRequest, marks?: SummaryMarks) => Reply
