import type { Shape } from '../core/adapter.ts'
import { carriesLeaves, crossingBytes, leavesOf } from '../core/leaves.ts'
import type { Format } from '../core/model.ts'
import { plainCopy } from '../core/plain.ts'
import type { HistoryUpdate } from '../engine/conversation-jobs.ts'
import { uniqueId } from '../engine/unique-id.ts'

/** What crosses to the worker at once is at most so large; a single message may be larger (DESIGN 5.1). */
const MAX_PART_BYTES = 256 * 1024

/** Parts of a history, each made when it is asked for: sizing all of a large one at once would hold up the page. */
export type Parts = () => Iterable<HistoryUpdate>

/** A history that the engine knows by its token. */
interface Known {
  readonly format: Format
  readonly token: string
  /** Plain copies of the whole list. */
  readonly copies: readonly unknown[]
  /** The same, taken apart. */
  readonly leaves: readonly unknown[]
  /** Messages at the start of the list that are state of the request: they go with it, not with the history. */
  readonly leading: number
}

/** A history on its way to the engine. */
export interface Sending extends Known {
  /** What differs from what was sent before; the last part goes with the job that needs the history. */
  readonly parts: Parts
  /** The whole of it, for an engine that does not know what it builds on. */
  readonly whole: Parts
}

/**
 * What the page sent before, leaf by leaf: the app's own strings by reference. Messages are compared with it by what
 * they carry, never by identity, since apps mutate in place and frameworks hand in proxies (DESIGN 5.1).
 */
export class SentHistory {
  #known: Known | undefined

  /** Gives back what differs from what was sent last, and takes it for sent. Throws `invalid-conversation`. */
  send(shape: Shape, list: readonly unknown[]): Sending {
    const { parts, whole, ...known } = this.probe(shape, list)
    this.#known = known // without the parts, which are let go of once they are sent
    return { parts, whole, ...known }
  }

  /** Gives back what differs, and keeps what was sent last as it is. Throws `invalid-conversation`. */
  probe({ format, listField, leadingMessages }: Shape, list: readonly unknown[]): Sending {
    const leading = leadingMessages(list)
    const last = this.#known
    const known = last?.format === format && last.leading === leading ? last : undefined
    const changes: Changed[] = []
    const copies = known?.copies.slice(0, list.length) ?? []
    const leaves = known?.leaves.slice(0, list.length) ?? []
    for (let index = 0; index < list.length; index++) {
      if (index < copies.length && carriesLeaves(list[index], leaves[index])) continue
      const fresh = plainCopy(list[index], `${listField}[${index}]`)
      copies[index] = fresh
      leaves[index] = leavesOf(fresh)
      if (index >= leading) changes.push([index - leading, fresh as object]) // the engine refuses what is none
    }
    return sendingOf({ format, token: uniqueId(), copies, leaves, leading }, known?.token, changes)
  }
}

/** A function of its own, so that what is made later holds on to no earlier history. */
function sendingOf(known: Known, base: string | undefined, changes: readonly Changed[]): Sending {
  const { format, token, copies, leading } = known
  const length = copies.length - leading
  const update = { format, token, length, base: undefined }
  const all = () => copies.slice(leading).map((copy, index): Changed => [index, copy as object]) // as above
  return {
    ...known,
    parts: () => partsOf({ ...update, base }, changes),
    whole: () => partsOf(update, all()),
  }
}

type Changed = readonly [index: number, message: object]

function* partsOf(
  update: Omit<HistoryUpdate, 'changes' | 'part'>,
  changes: readonly Changed[],
): Generator<HistoryUpdate> {
  let part = 0
  let bytes = 0
  let held: Changed[] = []
  for (const change of changes) {
    const size = crossingBytes(change[1])
    if (bytes > 0 && bytes + size > MAX_PART_BYTES) {
      yield { ...update, changes: held, part: part++ }
      held = []
      bytes = 0
    }
    held.push(change)
    bytes += size
  }
  yield { ...update, changes: held, part }
}
