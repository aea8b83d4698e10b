import { adapterFor } from '../../adapters/index.ts'
import { asFields } from '../../adapters/native.ts'
import type { MessageEntry } from '../../core/log/entry.ts'
import { identityOf } from '../../core/log/key.ts'
import type { Log } from '../../core/log/log.ts'
import type { Unit } from '../../core/model.ts'

/** Reads a stored message. */
export function readEntry({ format, native, seq }: MessageEntry): Unit {
  return adapterFor({}, format).readMessage(asFields(native, 'message'), seq, 'message')
}

/** Gives back a message of a log as it is read, the same unit each time; `undefined` for a stone. */
export function unitAt(log: Log, seq: number): Unit | undefined {
  const entry = log.message(seq)
  return entry && log.unitOf(entry, readEntry)
}

/** Gives back what a stored message means. */
export function identityOfEntry(entry: MessageEntry): string {
  return identityOf(entry.format, readEntry(entry))
}
