import type { Adapter } from '../core/adapter.ts'
import type { Format } from '../core/model.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import { openaiChat } from './openai-chat.ts'
import { shapeOf } from './shapes/index.ts'

const adapters: readonly Adapter[] = [openaiChat, anthropicMessages]

/** Gives back the adapter for a request: of the named format, else of the shape it has. Throws as {@link shapeOf}. */
export function adapterFor(request: unknown, format: Format | undefined): Adapter {
  const shape = shapeOf(request, format)
  const adapter = adapters.find((candidate) => candidate.format === shape.format)
  if (!adapter) throw new RangeError(`no adapter reads ${shape.format}`)
  return adapter
}
