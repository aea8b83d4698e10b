import type { Format } from '../../../src/core/model.ts'
import { anthropicDialect } from '../generate/anthropic.ts'
import type { Dialect } from '../generate/dialect.ts'
import type { Draw } from '../generate/draw.ts'
import { openaiDialect } from '../generate/openai.ts'
import { type StepKind, stepKinds, writeStep } from '../generate.ts'
import { isRecord, type Native, type NativeRequest } from '../native.ts'

/** Steps of which none may be left out of what is sent for being blank. */
export const wordyKinds = stepKinds.filter((kind) => kind !== 'empty')

const sizes = { speech: 500, result: 2500 }

/** Writes the messages of one conversation. Each text has a number of its own, so that none is taken for another. */
export class Writing {
  readonly head: Native & NativeRequest
  private readonly dialect: Dialect
  private count = 0

  constructor(format: Format, draw: Draw) {
    this.dialect = format === 'openai-chat' ? openaiDialect : anthropicDialect(draw.chance(35))
    const head = this.dialect.frame(draw, sizes, [])
    const isOther = format === 'openai-chat' && draw.chance(30)
    this.head = isOther ? { ...head, model: 'some-model' } : head
  }

  ask(draw: Draw): Native[] {
    return this.numbered(this.dialect.ask(draw, sizes))
  }

  reply(draw: Draw): Native[] {
    return this.numbered(this.dialect.reply(draw, sizes))
  }

  /** One step that ends on the user's side. */
  step(draw: Draw, kinds: readonly StepKind[] = stepKinds): Native[] {
    const kind = draw.pick(kinds)
    const nextId = (prefix: string) => `${prefix}_${++this.count}`
    return this.numbered(writeStep(kind, draw, { dialect: this.dialect, sizes, nextId }))
  }

  /** The same message with other words. */
  reworded(message: Native): Native {
    return this.numbered([message])[0] ?? message
  }

  /** True for a message that is left out where it is mended. */
  isBlank({ content, tool_calls: calls }: Native): boolean {
    return calls === undefined && typeof content === 'string' && content.trim() === ''
  }

  private numbered(messages: readonly Native[]): Native[] {
    return messages.map((message) => {
      const { content } = message
      if (message.role === 'tool') return message
      if (typeof content === 'string' && content.trim() !== '') {
        return { ...message, content: this.mark(content) }
      }
      if (!Array.isArray(content)) return message
      const at = content.findIndex((block) => isRecord(block) && block.type === 'text')
      const numbered = content.map((block, index) =>
        index === at ? { ...block, text: this.mark(String(block.text)) } : block,
      )
      return { ...message, content: numbered }
    })
  }

  private mark(text: string): string {
    return `#${++this.count} ${text}`
  }
}
