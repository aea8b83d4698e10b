import type { Adapter } from '../core/adapter.ts'
import { TampError } from '../core/errors.ts'
import type { Format } from '../core/model.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import { type Fields, invalid } from './native.ts'
import { openaiChat } from './openai-chat.ts'

/** The formats, in the order in which they are asked. */
export const adapters: readonly Adapter[] = [openaiChat, anthropicMessages]

/** Models of one maker decide where the shape of a request fits several formats. */
const MODEL_FORMAT: readonly (readonly [RegExp, Format])[] = [
  [/^(?:anthropic\/)?claude/u, 'anthropic-messages'],
  [/^(?:openai\/)?(?:gpt|o\d|chatgpt)/u, 'openai-chat'],
]

/**
 * Gives back the adapter for a request: of the named format, else of the only format whose shape it has.
 * Throws `unknown-format` where it is ambiguous or no known shape, `invalid-conversation` where it is no object.
 */
export function adapterFor(request: unknown, format: Format | undefined): Adapter {
  if (typeof request !== 'object' || request === null) throw invalid('request', 'is not an object')
  const named = adapters.find((adapter) => adapter.format === format)
  if (format !== undefined) {
    if (named) return named
    throw new TampError('unknown-format', `format ${JSON.stringify(format)} is not known`, {
      format,
    })
  }
  const fields = request as Fields // checked above
  if ('messages' in fields && !Array.isArray(fields.messages))
    throw invalid('messages', 'is not an array')
  const sure = adapters.filter((adapter) => adapter.recognise(fields) === 'yes')
  const possible =
    sure.length > 0 ? sure : adapters.filter((adapter) => adapter.recognise(fields) === 'maybe')
  const [only] = possible
  if (only && possible.length === 1) return only
  return byModel(fields, possible)
}

function byModel(fields: Fields, possible: readonly Adapter[]): Adapter {
  const model = typeof fields.model === 'string' ? fields.model : ''
  const format = MODEL_FORMAT.find(([pattern]) => pattern.test(model))?.[1]
  const adapter = possible.find((candidate) => candidate.format === format)
  if (adapter) return adapter
  const formats = possible.map((candidate) => candidate.format)
  if (formats.length === 0) {
    const known = adapters.map((candidate) => candidate.format)
    throw new TampError(
      'unknown-format',
      `the request has the shape of no known format (${known.join(', ')})`,
      { known },
    )
  }
  throw new TampError(
    'unknown-format',
    'the format of the request is ambiguous; name it with { format }',
    {
      possible: formats,
    },
  )
}
