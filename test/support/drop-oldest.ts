import { countRequest } from './count.ts'
import type { NativeRequest } from './native.ts'

/** The compaction that every system starts with: the oldest messages go until the rest fits. */
export function dropOldest<R extends NativeRequest>(request: R, limitTokens: number): R {
  const system = request.messages.filter((message) => message.role === 'system')
  let rest = request.messages.filter((message) => message.role !== 'system')
  const fitted = (): R => ({ ...request, messages: [...system, ...rest] })
  while (rest.length > 0 && countRequest(fitted()).total > limitTokens) rest = rest.slice(1)
  return fitted()
}
