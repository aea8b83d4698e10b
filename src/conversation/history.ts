import { carriesSame, crossingBytes } from '../core/leaves.ts'
import type { Format } from '../core/model.ts'
import { plainCopy } from '../core/plain.ts'
import type { HistoryUpdate } from '../engine/conversation-jobs.ts'
import { uniqueId } from '../engine/unique-id.ts'

/** What crosses to the worker at once is at most so large; a single message may be larger (DESIGN 5.1). */
const MAX_PART_BYTES = 256 * 1024

/** A history on its way to the engine. */
export interface Sending {
  /** Plain copies of its messages. */
  readonly copies: readonly unknown[]
  /** In order; the last one goes with the job that needs the history. */
  readonly parts: readonly HistoryUpdate[]
  /** The whole of it, for an engine that does not know what it builds on. */
  readonly whole: () => readonly HistoryUpdate[]
}

/**
 * What the page sent before, leaf by leaf: the app's own strings by reference. Messages are compared with it by what
 * they carry, never by identity, since apps mutate in place and frameworks hand in proxies (DESIGN 5.1).
 */
export class SentHistory {
  private copies: readonly unknown[] = []
  private format: Format | undefined
  private token: string | undefined

  /** Gives back what differs from what was sent last, and takes it for sent. Throws `invalid-conversation`. */
  send(format: Format, messages: readonly unknown[], listField: string): Sending {
    const { sending, copies, token } = this.compare(format, messages, listField)
    this.copies = copies
    this.format = format
    this.token = token
    return sending
  }

  /** Gives back what differs, and keeps what was sent last as it is. Throws `invalid-conversation`. */
  probe(format: Format, messages: readonly unknown[], listField: string): Sending {
    return this.compare(format, messages, listField).sending
  }

  private compare(format: Format, messages: readonly unknown[], listField: string) {
    const known = format === this.format ? this.copies : []
    const base = format === this.format ? this.token : undefined
    const changes: Changed[] = []
    const copies = messages.map((message, index) => {
      const copy = known[index]
      if (copy !== undefined && carriesSame(message, copy)) return copy
      const fresh = plainCopy(message, `${listField}[${index}]`)
      changes.push([index, fresh as object]) // the engine refuses what is none, with its path
      return fresh
    })
    const token = uniqueId()
    const { length } = messages
    const parts = partsOf({ format, base, token, length }, changes)
    const all = copies.map((copy, index): Changed => [index, copy as object]) // the same
    const whole = () => partsOf({ format, base: undefined, token, length }, all)
    return { sending: { copies, parts, whole }, copies, token }
  }
}

type Changed = readonly [index: number, message: object]

function partsOf(
  update: Omit<HistoryUpdate, 'changes' | 'part'>,
  changes: readonly Changed[],
): readonly HistoryUpdate[] {
  const parts: Changed[][] = [[]]
  let bytes = 0
  for (const change of changes) {
    const size = crossingBytes(change[1])
    if (bytes > 0 && bytes + size > MAX_PART_BYTES) {
      parts.push([])
      bytes = 0
    }
    parts.at(-1)?.push(change)
    bytes += size
  }
  return parts.map((part, index) => ({ ...update, changes: part, part: index }))
}
