import type { Shape } from './core/adapter.ts'
import { invalidConversation } from './core/errors.ts'
import { carriesLeaves } from './core/leaves.ts'
import { jsonForm, MAX_ITEMS, plainCopy } from './core/plain.ts'
import type { Assembly } from './engine/engine.ts'

/** Fields of a request. */
export type Fields = Readonly<Record<string, unknown>>

/** A request of the app, taken apart at one moment: the app may go on changing what it handed in. */
export interface TakenRequest<R extends object = object> {
  readonly shape: Shape
  /** The app's own object. */
  readonly own: R
  /** The same as it stood, with a list of its own. */
  readonly stood: R
  /** The list of messages, each the app's own object, or the form it is sent as. */
  readonly list: readonly unknown[]
}

/** Gives back the request as it stands now. Throws `invalid-conversation` where its list is none. */
export function takeRequest<R extends object>(own: R, shape: Shape): TakenRequest<R> {
  const { listField } = shape
  const held = (own as Fields)[listField] // any object may be looked into
  if (!Array.isArray(held)) throw invalidConversation(listField, 'is not an array')
  if (held.length > MAX_ITEMS) {
    throw invalidConversation(listField, `has more than ${MAX_ITEMS} items`)
  }
  const list: unknown[] = []
  for (let index = 0; index < held.length; index++) list.push(jsonForm(held[index]))
  return { shape, own, stood: { ...own, [listField]: list }, list }
}

/** Gives back plain copies of the fields that the engine reads of a format. */
export function fieldsOf({ fields }: Shape, request: object): Fields {
  const held = request as Fields // any object may be looked into
  const present = fields.filter((name) => held[name] !== undefined)
  return Object.fromEntries(present.map((name) => [name, plainCopy(held[name], name)]))
}

/** What the engine made of a request. */
export interface MadeList {
  /** Plain copies of the list as it was read, leading messages included. */
  readonly copies: readonly unknown[]
  /** The same, taken apart. */
  readonly leaves: readonly unknown[]
  /** Leading messages, which stay before what the engine made. */
  readonly leading: number
  /** `undefined` where the list stays as it came. */
  readonly assembly: Assembly | undefined
}

/**
 * Gives back the request that goes out: the app's own object where nothing was done. What the app changed since it
 * handed the request in goes out as it was stood: the engine knows of nothing else.
 */
export function sentRequest<R extends object>(
  taken: TakenRequest<R>,
  { copies, leaves, leading, assembly }: MadeList,
): R {
  if (!assembly && isAsHandedIn(taken, leaves)) return taken.own
  const { stood, list, shape } = taken
  const messageAt = (index: number) =>
    carriesLeaves(list[index], leaves[index]) ? list[index] : copies[index]
  const indexes = list.map((_, index) => index)
  const head = (assembly ? indexes.slice(0, leading) : indexes).map(messageAt)
  const made = (assembly ?? []).map((item) =>
    typeof item === 'number' ? messageAt(leading + item) : item,
  )
  return { ...stood, [shape.listField]: [...head, ...made] }
}

/** True where the app changed nothing since. */
function isAsHandedIn(
  { own, stood, list, shape }: TakenRequest,
  leaves: readonly unknown[],
): boolean {
  const now = own as Fields // any object may be looked into
  const was = stood as Fields
  const held = now[shape.listField]
  return (
    Array.isArray(held) &&
    held.length === list.length &&
    Object.keys({ ...stood, ...own }).every(
      (name) => name === shape.listField || now[name] === was[name],
    ) &&
    leaves.every((each, index) => carriesLeaves(held[index], each))
  )
}
