import type { Adapter } from '../core/adapter.ts'
import type { View } from '../core/model.ts'
import type { Assembly } from './engine.ts'

/** Gives back the list that a view makes of a request; `undefined` where it stays as it came. */
export function assemblyOf(
  adapter: Adapter,
  request: Readonly<Record<string, unknown>>,
  view: View,
): Assembly | undefined {
  const written = adapter.write(request, view)
  if (written === request) return undefined
  const came = request[adapter.listField] as readonly object[] // lists of objects, or reading had refused them
  const indexes = new Map(came.map((message, index) => [message, index]))
  const list = written[adapter.listField] as readonly object[]
  const assembly = list.map((message) => indexes.get(message) ?? message)
  const isSame = assembly.length === came.length && assembly.every((item, index) => item === index)
  return isSame ? undefined : assembly
}
