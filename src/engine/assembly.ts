import type { Adapter } from '../core/adapter.ts'
import { commonLength } from '../core/common-length.ts'
import type { Unit, View } from '../core/model.ts'
import { samePlain } from '../core/same-plain.ts'
import type { Assembly } from './engine.ts'

/** What a view is written from. */
export interface WriteInput {
  readonly adapter: Adapter
  readonly view: View
  /** The messages as they came: those that the originals were read from, or Tamp's own output that an app sent back. */
  readonly came: readonly object[]
  /** Index among them of the message that holds this original alone; `undefined` where none does. */
  readonly indexOf: (original: Unit) => number | undefined
}

/** A view as it is sent. */
export interface Written {
  readonly units: readonly Unit[]
  readonly came: readonly object[]
  /** For each message the position of its first unit. */
  readonly starts: readonly number[]
  /** Those that no edit touches are the very natives. */
  readonly messages: readonly object[]
  /** For each message its index among those that came, or the message itself. */
  readonly items: Assembly
  /** How many messages at the start are those of the writing that it goes on from. */
  readonly kept: number
}

/**
 * Gives back how a view is sent. What it begins with as an earlier writing did is taken over: made once, and the
 * very same objects.
 */
export function written(input: WriteInput, before?: Written): Written {
  const { adapter, view, came } = input
  const kept = before ? keptMessages(before, view.units, came) : 0
  const from = before?.starts[kept] ?? (before && kept > 0 ? before.units.length : 0)
  const rest = view.units.slice(from)
  const starts = rest.flatMap((unit, at) => (at > 0 && unit.joined ? [] : [from + at]))
  const natives = view.originals.map(({ native }) => native)
  const request: Record<string, unknown> = { [adapter.listField]: natives }
  const made = adapter.write(request, { ...view, units: rest })[adapter.listField]
  const messages = made as readonly object[] // a list of messages
  const items = messages.map((message, index) => {
    const own = indexOfUnit(input, starts[index] ?? -1)
    const places = own === undefined ? [kept + index] : [own, kept + index]
    return places.find((place) => isCame(message, came[place])) ?? message
  })
  return {
    units: view.units,
    came,
    starts: [...(before?.starts.slice(0, kept) ?? []), ...starts],
    messages: [...(before?.messages.slice(0, kept) ?? []), ...messages],
    items: [...(before?.items.slice(0, kept) ?? []), ...items],
    kept,
  }
}

/** Gives back the list as it shall be sent; `undefined` where it stays as it came. Linear in the list. */
export function assemblyOf({ items, came }: Written): Assembly | undefined {
  const isSame = items.length === came.length && items.every((item, index) => item === index)
  return isSame ? undefined : items
}

function isCame(message: object, came: object | undefined): boolean {
  return came !== undefined && (message === came || samePlain(message, came))
}

function indexOfUnit({ view, indexOf }: WriteInput, start: number): number | undefined {
  const unit = view.units[start]
  const isAlone = unit && !unit.was && unit.seq >= 0 && !view.units[start + 1]?.joined
  return isAlone ? indexOf(unit) : undefined
}

/** Messages that both begin with: made of the same units, and standing for the same messages that came. */
function keptMessages(before: Written, units: readonly Unit[], came: readonly object[]): number {
  const { starts, items } = before
  const common = commonLength(before.units, units)
  const same = commonLength(before.came, came)
  let kept =
    common === before.units.length ? starts.length : starts.findLastIndex((at) => at <= common)
  // What is joined to the message before makes another one of it.
  if (units[common]?.joined && (starts[kept] ?? common) === common) kept--
  while (kept > 0 && !standsBefore(items[kept - 1], kept - 1, same)) kept--
  return Math.max(0, kept)
}

function standsBefore(item: number | object | undefined, index: number, same: number): boolean {
  return index < same && (typeof item !== 'number' || item < same)
}
