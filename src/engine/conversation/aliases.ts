import { asFields } from '../../adapters/native.ts'
import { indexOfKey } from '../../core/ascending.ts'
import type { Alias } from '../../core/log/entry.ts'
import { identityOf, keyOf } from '../../core/log/key.ts'
import type { Log } from '../../core/log/log.ts'
import type { Written } from '../assembly.ts'
import type { History } from './history.ts'

/** What Tamp's own output is known by. */
export interface Names {
  readonly aliases: readonly Alias[]
  /** For each message that is sent, the last original that it stands for. */
  readonly stands: readonly number[]
}

/**
 * Gives back the names under which Tamp's own output is known: for each message that edits made, and for each that
 * lost its place behind the one before it, the key it would get where it is sent, and the last original that it
 * stands for (DESIGN 5.1, an echo). Messages that were named before, by what they stand for in `known`, are not read.
 */
export function namesOf(
  log: Log,
  history: History,
  out: Written,
  known: readonly number[] = [],
): Names {
  const { adapter } = history
  const stands = [...known]
  const ends = endsFrom(history, out, known.length)
  const aliases: Alias[] = []
  for (let index = known.length; index < out.messages.length; index++) {
    const before = stands[index - 1] ?? -1
    const unit = out.units[out.starts[index] ?? -1]
    const message = out.messages[index]
    const isInPlace = unit?.native === message && log.treeEntry(unit?.seq ?? -1)?.parent === before
    const seq = isInPlace && unit ? unit.seq : (ends[index - known.length] ?? -1)
    stands.push(seq)
    if (isInPlace) continue
    const own = adapter.readMessage(asFields(message, 'message'), -1, 'message')
    aliases.push({ key: keyOf(log.keyAt(before), identityOf(adapter.format, own)), seq })
  }
  return { aliases, stands }
}

/** For each message from an index on, the last original it stands for: all up to where the next one begins. */
function endsFrom({ path }: History, out: Written, from: number): readonly number[] {
  const ends: number[] = []
  let next = path.length
  for (let index = out.starts.length - 1; index >= from; index--) {
    ends.push(path[next - 1] ?? -1)
    next = startDepth(path, out, index) ?? next
  }
  return ends.reverse()
}

/** Depth of the first original that a message stands for; `undefined` for one that edits put there. */
function startDepth(path: readonly number[], out: Written, index: number): number | undefined {
  const units = out.units.slice(out.starts[index], out.starts[index + 1])
  const depths = units
    .map(({ seq }) => indexOfKey(path, seq, (at) => at))
    .filter((depth) => depth !== -1)
  return depths.length > 0 ? Math.min(...depths) : undefined
}
