import type { TranscriptMessage } from 'tamp'
import type { NativeMessage } from './opening.ts'
import { contentText } from './sent.ts'

/** One message of the path that is shown. */
export interface PathMessage {
  readonly native: NativeMessage
  /** Names it in the conversation; `undefined` where it is not stored yet, or was interrupted. */
  readonly seq: number | undefined
  /** True for a reply that was cut off by a reload. */
  readonly interrupted: boolean
  /** `seq` of what stands in the same place on other branches, itself included, oldest first. */
  readonly branches: readonly number[]
}

/** Gives back the path that a transcript shows. */
export function pathOf(transcript: readonly TranscriptMessage[]): readonly PathMessage[] {
  return transcript.map(({ message, seq, interrupted, branches }) => {
    // Both formats know messages with a role alone; Tamp read them when they were stored.
    return { native: message as NativeMessage, seq, interrupted, branches }
  })
}

/** Gives back a message that was just said and is not stored yet. */
export function unstored(native: NativeMessage): PathMessage {
  return { native, seq: undefined, interrupted: false, branches: [] }
}

/**
 * Gives back the path as a conversation goes on from it: of an interrupted reply its text stays, as something
 * that was said. Its calls never ran.
 */
export function settledPath(path: readonly PathMessage[]): readonly PathMessage[] {
  return path.flatMap((message) => {
    if (!message.interrupted) return [message]
    const { role } = message.native
    const content = contentText(message.native)
    return content === '' ? [] : [unstored({ role, content })]
  })
}

/** Gives back what a request says of a path. */
export function historyOf(path: readonly PathMessage[]): readonly NativeMessage[] {
  return settledPath(path).map(({ native }) => native)
}

/** Gives back the index of the user message that a reply answers, or -1. */
export function questionOf(path: readonly PathMessage[], reply: number): number {
  return path.slice(0, reply).findLastIndex(({ native }) => native.role === 'user')
}

/** True where the path ends with something that the model has not answered. */
export function isUnanswered(path: readonly PathMessage[]): boolean {
  const role = path.at(-1)?.native.role
  return role === 'user' || role === 'tool'
}

/** True where a stored path holds all that was said here, in the same places. */
export function holds(stored: readonly PathMessage[], shown: readonly PathMessage[]): boolean {
  const news = shown.flatMap((message, index) =>
    message.seq === undefined && !message.interrupted ? [index] : [],
  )
  const textAt = (path: readonly PathMessage[], index: number) =>
    JSON.stringify(path[index]?.native)
  return news.every((index) => textAt(stored, index) === textAt(shown, index))
}
