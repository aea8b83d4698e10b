import type { Shape } from './core/adapter.ts'
import { invalidConversation } from './core/errors.ts'
import { carriesSame } from './core/leaves.ts'
import { MAX_ITEMS, plainCopy } from './core/plain.ts'
import type { Assembly } from './engine/engine.ts'

/** A request of the app, taken apart at one moment: the app may go on changing what it handed in. */
export interface RequestSnapshot<R extends object> {
  /** The app's request with a list of its own. */
  readonly request: R
  readonly listField: string
  /** The list of messages, each the app's own object, or the form it is sent as. */
  readonly list: readonly unknown[]
}

/** Gives back the request as it stands now. Throws `invalid-conversation` where its list is none. */
export function snapshotOf<R extends object>(request: R, { listField }: Shape): RequestSnapshot<R> {
  const held = (request as Readonly<Record<string, unknown>>)[listField] // any object may be looked into
  if (!Array.isArray(held)) throw invalidConversation(listField, 'is not an array')
  if (held.length > MAX_ITEMS)
    throw invalidConversation(listField, `has more than ${MAX_ITEMS} items`)
  const list = Array.from(held, asSent)
  return { request: { ...request, [listField]: list }, listField, list }
}

/** A message that has a JSON form of its own is sent as that. */
function asSent(message: unknown): unknown {
  const hasForm = typeof message === 'object' && message !== null && 'toJSON' in message
  return hasForm && typeof message.toJSON === 'function' ? message.toJSON() : message
}

/** Gives back plain copies of the fields that the engine reads of a format. */
export function fieldsOf(shape: Shape, request: object): Readonly<Record<string, unknown>> {
  const fields = request as Readonly<Record<string, unknown>> // any object may be looked into
  const present = shape.fields.filter((name) => fields[name] !== undefined)
  return Object.fromEntries(present.map((name) => [name, plainCopy(fields[name], name)]))
}

/** What the engine made of a request. */
export interface MadeList {
  /** Plain copies of the list as it was read, leading messages included. */
  readonly copies: readonly unknown[]
  /** Leading messages, which stay before what the engine made. */
  readonly leading: number
  /** `undefined` where the list stays as it came. */
  readonly assembly: Assembly | undefined
}

/**
 * Gives back the request that goes out: the app's own object where nothing was done. What the app changed since it
 * handed the request in goes out as it was then: the engine knows of nothing else.
 */
export function sentRequest<R extends object>(
  request: R,
  snapshot: RequestSnapshot<R>,
  { copies, leading, assembly }: MadeList,
): R {
  const { list, listField } = snapshot
  const isAsRead = (index: number) => carriesSame(list[index], copies[index])
  const messageAt = (index: number) => (isAsRead(index) ? list[index] : copies[index])
  if (assembly === undefined && isAsHandedIn(request, snapshot, isAsRead)) return request
  const head = list.slice(0, leading).map((_, index) => messageAt(index))
  const items = assembly ?? list.slice(leading).map((_, index) => index)
  const made = items.map((item) => (typeof item === 'number' ? messageAt(leading + item) : item))
  return { ...snapshot.request, [listField]: [...head, ...made] }
}

/** True where the app changed nothing since. */
function isAsHandedIn<R extends object>(
  request: R,
  snapshot: RequestSnapshot<R>,
  isAsRead: (index: number) => boolean,
): boolean {
  const { list, listField } = snapshot
  const now = request as Readonly<Record<string, unknown>> // any object may be looked into
  const then = snapshot.request as Readonly<Record<string, unknown>>
  const held = now[listField]
  const names = new Set([...Object.keys(now), ...Object.keys(then)])
  names.delete(listField)
  const isSameList = Array.isArray(held) && held.length === list.length
  return (
    isSameList &&
    [...names].every((name) => now[name] === then[name]) &&
    list.every((message, index) => asSame(held[index], message) && isAsRead(index))
  )
}

/** The form of a message is made anew each time: it is compared by what it carries. */
function asSame(held: unknown, message: unknown): boolean {
  return held === message || carriesSame(held, message)
}
