import type { Shape } from '../../core/adapter.ts'
import { type ErrorDetails, invalidConversation, TampError } from '../../core/errors.ts'
import type { Format } from '../../core/model.ts'
import { anthropicMessagesShape } from './anthropic-messages.ts'
import { isNamed } from './look.ts'
import { openaiChatShape } from './openai-chat.ts'

/** The shapes of the formats, in the order in which they are asked. */
const shapes: readonly Shape[] = [openaiChatShape, anthropicMessagesShape]

/**
 * Gives back the shape of a request: of the named format, else the only one that it has. Throws `unknown-format`
 * where it is ambiguous or no known shape, `invalid-conversation` where it is no object.
 */
export function shapeOf(request: unknown, format: Format | undefined): Shape {
  if (typeof request !== 'object' || request === null) {
    throw invalidConversation('request', 'is not an object')
  }
  if (format !== undefined) return named(format)
  const fields = request as Readonly<Record<string, unknown>> // checked above
  if ('messages' in fields && !Array.isArray(fields.messages)) {
    throw invalidConversation('messages', 'is not an array')
  }
  const answers = shapes.map((shape) => shape.recognise(fields))
  const answering = (answer: 'yes' | 'maybe') =>
    shapes.filter((_, index) => answers[index] === answer)
  const sure = answering('yes')
  return onlyOne(sure.length > 0 ? sure : answering('maybe'), fields.model)
}

function named(format: Format): Shape {
  const shape = shapes.find((candidate) => candidate.format === format)
  if (shape) return shape
  throw unknownFormat(`format ${JSON.stringify(format)} is not known`, { format })
}

function onlyOne(possible: readonly Shape[], model: unknown): Shape {
  const [first, ...others] = possible
  if (!first) {
    const known = formatsOf(shapes)
    throw unknownFormat(`the request has the shape of none of ${known.join(', ')}`, { known })
  }
  const shape = others.length > 0 ? possible.find(({ models }) => isNamed(model, models)) : first
  if (shape) return shape
  const message = 'the format of the request is ambiguous; name it with { format }'
  throw unknownFormat(message, { possible: formatsOf(possible) })
}

function formatsOf(some: readonly Shape[]): readonly Format[] {
  return some.map(({ format }) => format)
}

function unknownFormat(message: string, details: ErrorDetails): TampError {
  return new TampError('unknown-format', message, details)
}
