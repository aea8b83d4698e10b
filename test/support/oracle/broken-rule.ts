import type { Native, NativeRequest } from '../native.ts'

/** A request as the oracle reads it. */
export interface JudgedRequest extends NativeRequest {
  /** Anthropic: whether and how the model thinks. */
  readonly thinking?: unknown
}

/** A rule that a request breaks. */
export interface BrokenRule {
  readonly rule: string
  /** `refused`: the provider answers 4xx. `common`: laxer providers accept it, others do not. */
  readonly level: 'refused' | 'common'
  /** Index of the message. */
  readonly at: number
  readonly detail: string
}

/** Makes the constructor of one rule's findings. */
export function ruleOf(rule: string, level: BrokenRule['level']) {
  return (at: number, detail: string): BrokenRule => ({ rule, level, at, detail })
}

/** True for text that is empty or white space. */
export function isBlank(text: unknown): boolean {
  return typeof text !== 'string' || text.trim() === ''
}

/** Each message with its index, for rules that look at one message at a time. */
export function eachMessage(
  messages: readonly Native[],
  judge: (message: Native, at: number) => readonly BrokenRule[],
): BrokenRule[] {
  return messages.flatMap((message, at) => [...judge(message, at)])
}
