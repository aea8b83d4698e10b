import type { Adapter } from './core/adapter.ts'
import { plainCopy } from './core/plain.ts'
import type { Assembly } from './engine/engine.ts'

/** A request of the app, taken apart at one moment: the app may go on changing its own list. */
export interface RequestSnapshot<R extends object> {
  /** The app's request with a list of its own. */
  readonly request: R
  /** The list of messages, each the app's own object, or the form it is sent as. */
  readonly list: readonly unknown[]
}

/** Gives back the request as it stands now. */
export function snapshotOf<R extends object>(
  request: R,
  { listField }: Adapter,
): RequestSnapshot<R> {
  const held = (request as Readonly<Record<string, unknown>>)[listField] // any object may be looked into
  if (!Array.isArray(held)) return { request, list: [] }
  const list = Array.from(held, asSent)
  return { request: { ...request, [listField]: list }, list }
}

/** A message that has a JSON form of its own is sent as that. */
function asSent(message: unknown): unknown {
  const hasForm = typeof message === 'object' && message !== null && 'toJSON' in message
  return hasForm && typeof message.toJSON === 'function' ? message.toJSON() : message
}

/** Gives back plain copies of the fields that an adapter reads. */
export function fieldsOf(adapter: Adapter, request: object): Readonly<Record<string, unknown>> {
  const fields = request as Readonly<Record<string, unknown>> // any object may be looked into
  const present = adapter.fields.filter((name) => fields[name] !== undefined)
  return Object.fromEntries(present.map((name) => [name, plainCopy(fields[name], name)]))
}

/** Gives back the request with the list that the engine made of its own; `leading` messages stay before it. */
export function assemble<R extends object>(
  { request, list }: RequestSnapshot<R>,
  listField: string,
  assembly: Assembly,
  leading = 0,
): R {
  const made = assembly.map((item) => (typeof item === 'number' ? list[leading + item] : item))
  return { ...request, [listField]: [...list.slice(0, leading), ...made] }
}
