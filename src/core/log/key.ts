import type { Format, Part, Unit } from '../model.ts'

/** The key of the place before the first message. */
export const ROOT_KEY = ''

/**
 * Gives back what a message means, as text: its role, speaker and parts, in order. Cache marks, native ids, times
 * and metadata are not in it, nor whether a text stood alone or in a list of one.
 */
export function identityOf(format: Format, unit: Unit): string {
  return JSON.stringify([format, unit.role, unit.name ?? '', ...unit.parts.map(partIdentity)])
}

function partIdentity(part: Part): readonly unknown[] {
  switch (part.type) {
    case 'text':
      return ['t', part.text]
    case 'reasoning':
      return ['r', part.text, part.signature]
    case 'tool-call':
      return ['c', part.callId, part.tool, part.input]
    case 'tool-result':
      return ['o', part.callId, part.text, part.isError ?? null]
    case 'media':
      return ['m', part.mediaType, part.name ?? '', part.content, part.inside ?? -1]
    case 'opaque':
      return ['x', part.kind, part.text, part.inside ?? -1]
    default:
      return part satisfies never
  }
}

/**
 * Gives back the key of a message: a 64-bit hash of its parent's key and of what it means. `attempt` sets keys
 * apart whose hashes met though their messages differ.
 */
export function keyOf(parentKey: string, identity: string, attempt = 0): string {
  return hash64(`${attempt === 0 ? '' : attempt}${parentKey}\n${identity}`)
}

/** Adds one more entry to the checksum of a log. */
export function extendChecksum(checksum: string, fingerprint: string): string {
  return hash64(`${checksum}\n${fingerprint}`)
}

/**
 * A 64-bit hash of the code units of a text, as 16 hexadecimal digits: two lanes of 32-bit multiplications that are
 * mixed at the end, as in MurmurHash3's finalizer. Not for secrets: equal hashes are told apart by content.
 */
export function hash64(text: string): string {
  let low = 0x9e3779b9 ^ text.length
  let high = 0x85ebca6b
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    low = rotate(Math.imul(low ^ unit, 0x9e3779b1))
    high = rotate(Math.imul(high ^ unit, 0x5f356495))
  }
  const mixedLow = mix(low) ^ Math.imul(mix(high), 0xc2b2ae35)
  const mixedHigh = mix(high ^ mixedLow)
  return hex(mixedHigh, mixedLow)
}

/** Brings high bits down: multiplication alone only carries upward. */
function rotate(lane: number): number {
  return (lane << 13) | (lane >>> 19)
}

function mix(lane: number): number {
  let mixed = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

/** All digits at once: a log that is opened makes as many of these texts as it has entries, and joins cost most. */
function hex(high: number, low: number): string {
  // biome-ignore format: one line a lane
  return String.fromCharCode(
    digit(high, 28), digit(high, 24), digit(high, 20), digit(high, 16), digit(high, 12), digit(high, 8), digit(high, 4), digit(high, 0),
    digit(low, 28), digit(low, 24), digit(low, 20), digit(low, 16), digit(low, 12), digit(low, 8), digit(low, 4), digit(low, 0),
  )
}

/** The character of four bits. */
function digit(lane: number, shift: number): number {
  const value = (lane >>> shift) & 15
  return value < 10 ? value + 0x30 : value + 0x57
}
