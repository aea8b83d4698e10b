import type { Adapter, ReadRequest, RequestHead } from '../core/adapter.ts'
import type { Unit, View } from '../core/model.ts'
import { asFields, asList, type Fields } from './native.ts'

/** Gives back a whole request as Tamp reads it. Throws `invalid-conversation` with the path. */
export function readRequest(adapter: Adapter, request: Fields): ReadRequest {
  const messages = asList(request[adapter.listField], adapter.listField)
  const leading = adapter.leadingMessages(messages)
  const head = adapter.readHead(request)
  const units = messages.slice(leading).map((message, seq) => {
    const path = `${adapter.listField}[${leading + seq}]`
    return adapter.readMessage(asFields(message, path), seq, path)
  })
  return { view: viewOfUnits(adapter, units, head), head }
}

/** Gives back the view of a history before any edit. */
export function viewOfUnits(adapter: Adapter, units: readonly Unit[], head: RequestHead): View {
  const { format, dialect } = adapter
  return { format, dialect, units, originals: units, headCacheMarks: head.cacheMarks }
}
