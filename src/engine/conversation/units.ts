import { adapterFor } from '../../adapters/index.ts'
import { asFields } from '../../adapters/native.ts'
import type { MessageEntry } from '../../core/log/entry.ts'
import { identityOf } from '../../core/log/key.ts'
import type { Unit } from '../../core/model.ts'

/** Entries never change, so each is read once: what is known of a unit is known by the object that it is. */
const unitOf = new WeakMap<MessageEntry, Unit>()

/** Reads a stored message; gives back the same unit for as long as the entry lives. */
export function unitOfEntry(entry: MessageEntry): Unit {
  const known = unitOf.get(entry)
  if (known) return known
  const { format, native, seq } = entry
  const unit = adapterFor({}, format).readMessage(asFields(native, 'message'), seq, 'message')
  unitOf.set(entry, unit)
  return unit
}

/** Gives back what a stored message means. */
export function identityOfEntry(entry: MessageEntry): string {
  return identityOf(entry.format, unitOfEntry(entry))
}
