import type { Adapter } from '../core/adapter.ts'
import { carriesSame } from '../core/leaves.ts'
import type { View } from '../core/model.ts'
import type { Assembly } from './engine.ts'

/** What a list is made from. */
export interface AssemblyInput {
  /** The native messages that the view's originals were read from; leading ones may stand before them. */
  readonly list: readonly object[]
  /** The messages as they came: `list` itself, or Tamp's own output that an app sent back. */
  readonly came: readonly object[]
  readonly view: View
}

/** Gives back the messages that a view is sent as. Those that no edit touches are the very objects of `list`. */
export function writtenList(
  adapter: Adapter,
  { list, view }: Omit<AssemblyInput, 'came'>,
): readonly object[] {
  const request: Record<string, unknown> = { [adapter.listField]: list }
  return adapter.write(request, view)[adapter.listField] as readonly object[] // a list of messages
}

/** Gives back the list that a view makes of the messages that came; `undefined` where it stays as it came. */
export function assemblyOf(adapter: Adapter, input: AssemblyInput): Assembly | undefined {
  const { came } = input
  const indexes = new Map(came.map((message, index) => [message, index]))
  const assembly = writtenList(adapter, input).map((message, index) => {
    const known = indexes.get(message)
    if (known !== undefined) return known
    return came[index] !== undefined && carriesSame(message, came[index]) ? index : message
  })
  const isSame = assembly.length === came.length && assembly.every((item, index) => item === index)
  return isSame ? undefined : assembly
}
