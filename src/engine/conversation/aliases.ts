import { groupsOf } from '../../adapters/groups.ts'
import { asFields } from '../../adapters/native.ts'
import type { Alias } from '../../core/log/entry.ts'
import { identityOf, keyOf } from '../../core/log/key.ts'
import type { Log } from '../../core/log/log.ts'
import type { View } from '../../core/model.ts'
import { writtenList } from '../assembly.ts'
import type { History } from './history.ts'

/**
 * Gives back the names under which Tamp's own output is known: for each message of a view that edits made, and for
 * each that lost its place behind the one before it, the key it would get where it is sent, and the last original
 * that it stands for (DESIGN 5.1, an echo).
 */
export function aliasesOf(log: Log, history: History, view: View): readonly Alias[] {
  const { adapter, units } = history
  const natives = units.map((unit) => unit.native as object) // messages as they came
  const seqs = new Map(units.map((unit, index) => [natives[index], unit.seq]))
  const written = writtenList(adapter, { list: natives, view })
  const ends = groupEnds(history, view)
  const aliases: Alias[] = []
  let before = -1
  for (const [index, message] of written.entries()) {
    const own = seqs.get(message)
    const isInPlace = own !== undefined && log.treeEntry(own)?.parent === before
    const seq = isInPlace ? own : (ends[index] ?? -1)
    if (!isInPlace) {
      const unit = adapter.readMessage(asFields(message, 'message'), -1, 'message')
      aliases.push({ key: keyOf(log.keyAt(before), identityOf(adapter.format, unit)), seq })
    }
    before = seq
  }
  return aliases
}

/** For each message of a view the last original that it stands for: all up to where the next one begins. */
function groupEnds(history: History, view: View): readonly number[] {
  const { path } = history
  const depths = new Map(path.map((seq, depth) => [seq, depth]))
  const groups = groupsOf(view.units)
  const starts = groups.map((group) =>
    Math.min(...group.map((unit) => depths.get(unit.seq) ?? Number.POSITIVE_INFINITY)),
  )
  return groups.map((_, index) => {
    const next = starts.slice(index + 1).find((start) => Number.isFinite(start))
    return path[(next ?? path.length) - 1] ?? -1
  })
}
