import { adapterFor } from '../../adapters/index.ts'
import { asFields } from '../../adapters/native.ts'
import { TampError } from '../../core/errors.ts'
import type { LogEntry } from '../../core/log/entry.ts'
import { identityOf, keyOf } from '../../core/log/key.ts'
import type { Log } from '../../core/log/log.ts'
import type { Format } from '../../core/model.ts'
import { identityOfEntry } from './units.ts'

/** The message that is to be forgotten: by `seq`, by its native `id`, or by what it says. */
export type ForgetRef =
  | { readonly type: 'seq'; readonly seq: number }
  | { readonly type: 'id'; readonly id: string }
  | { readonly type: 'message'; readonly message: object }

/** Gives back what the app's way to name a message means. */
export function forgetRef(ref: number | string | object): ForgetRef {
  if (typeof ref === 'number') return { type: 'seq', seq: ref }
  if (typeof ref === 'string') return { type: 'id', id: ref }
  return { type: 'message', message: ref }
}

/** Gives back the message that is meant, the newest where several say the same; `undefined` for none. */
export function findMessage(log: Log, ref: ForgetRef): number | undefined {
  const messages = log.entries().filter((entry) => entry.type === 'message')
  switch (ref.type) {
    case 'seq':
      return log.message(ref.seq)?.seq
    case 'id':
      return messages.findLast(({ native }) => (native as { id?: unknown }).id === ref.id)?.seq
    case 'message': {
      const meanings = new Map<string, string>()
      return messages.findLast((entry) => {
        const known = meanings.get(entry.format)
        const meaning = known ?? meaningOf(entry.format, ref.message)
        meanings.set(entry.format, meaning)
        return meaning !== '' && identityOfEntry(entry) === meaning
      })?.seq
    }
    default:
      return ref satisfies never
  }
}

/** True where the message was forgotten before: a call may be repeated because its answer got lost. */
export function isForgotten(log: Log, ref: ForgetRef): boolean {
  if (ref.type === 'id') return false
  if (ref.type === 'seq') return log.treeEntry(ref.seq)?.type === 'forgotten'
  const formats = new Set(
    log.entries().flatMap((one) => (one.type === 'message' ? one.format : [])),
  )
  const meanings = [...formats].map((format) => meaningOf(format, ref.message))
  return log.entries().some((entry) => {
    if (entry.type !== 'forgotten') return false
    const parent = log.keyAt(entry.parent)
    return meanings.some((meaning) => keyOf(parent, meaning) === entry.key)
  })
}

/** Empty where the message is none of that format. */
function meaningOf(format: Format, message: object): string {
  try {
    const unit = adapterFor({}, format).readMessage(asFields(message, 'message'), -1, 'message')
    return identityOf(format, unit)
  } catch (error) {
    if (error instanceof TampError && error.code === 'invalid-conversation') return ''
    throw error
  }
}

/**
 * Gives back what stands in the place of a message that is forgotten, and of all that spoke of it: every compaction
 * that covered it leaves, with what was undone or brought back of it.
 */
export function forgetting(log: Log, seq: number): readonly LogEntry[] {
  const covering = log.compactions().filter(({ through }) => log.isOn(log.pathTo(through), seq))
  const gone = new Set(covering.map((compaction) => compaction.seq))
  return log.entries().flatMap((entry): readonly LogEntry[] => {
    const stone = { type: 'void', seq: entry.seq, at: entry.at } as const
    switch (entry.type) {
      case 'message': {
        if (entry.seq !== seq) return []
        const { parent, key, at } = entry
        return [{ type: 'forgotten', seq, at, parent, key }]
      }
      case 'compaction':
        return gone.has(entry.seq) ? [stone] : []
      case 'undo':
      case 'redo':
      case 'lowered':
        return gone.has(entry.compaction) ? [stone] : []
      case 'capture': {
        const edits = entry.edits.filter((edit) => !('seq' in edit && edit.seq === seq))
        return edits.length < entry.edits.length ? [{ ...entry, edits }] : []
      }
      case 'usage':
      case 'forgotten':
      case 'void':
        return []
      default:
        return entry satisfies never
    }
  })
}
