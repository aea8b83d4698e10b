import type { LogEntry, MessageCounts } from '../../core/log/entry.ts'
import type { Log } from '../../core/log/log.ts'
import type { Unit } from '../../core/model.ts'
import type { Encoding } from '../../tokens/counter.ts'
import {
  type CountedUnit,
  messageCounts,
  storedNameTokens,
  storedPartTokens,
} from '../../tokens/message-counts.ts'
import type { KnownCounts } from '../../tokens/parts.ts'
import type { Counting } from '../setup.ts'
import { readEntry } from './units.ts'

/** Gives back what the messages of a log were counted as when they were stored. */
export function storedCounts(opened: { readonly log: Log }, encoding: Encoding): KnownCounts {
  const storedAt = (seq: number): CountedUnit | undefined => {
    const entry = opened.log.message(seq)
    return entry && { unit: opened.log.unitOf(entry, readEntry), counts: entry.counts }
  }
  return {
    partTokens: (part) => {
      const stored = storedAt(part.seq)
      return stored && storedPartTokens(stored, part, encoding)
    },
    nameTokens: (unit) => {
      const stored = storedAt(unit.seq)
      return stored && storedNameTokens(stored, unit, encoding)
    },
  }
}

/** Gives back what is to be stored of a unit's counts. */
export function countsOf(unit: Unit, { encoding, parts }: Counting): MessageCounts {
  return messageCounts(unit, encoding, parts)
}

/** Gives back entries that come from elsewhere with the counts of their messages; each step counts one. */
export function* countingEntries(
  entries: readonly LogEntry[],
  counting: Counting,
): Generator<undefined, readonly LogEntry[]> {
  const counted: LogEntry[] = []
  for (const entry of entries) {
    const isMessage = entry.type === 'message'
    counted.push(isMessage ? { ...entry, counts: countsOf(readEntry(entry), counting) } : entry)
    yield
  }
  return counted
}
