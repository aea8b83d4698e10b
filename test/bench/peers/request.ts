import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages'
import type { ModelMessage } from 'ai'
import type { BenchMessage, BenchRequest } from '../conversation.ts'

/** A call of a bench conversation, as OpenAI's format has it. */
interface BenchCall {
  readonly id: string
  readonly function: { readonly name: string; readonly arguments: string }
}

function callsOf({ tool_calls = [] }: BenchMessage) {
  // `stepMessages` makes them so.
  return (tool_calls as readonly BenchCall[]).map(
    ({ id, function: { name, arguments: text } }) => ({
      id,
      name,
      args: JSON.parse(text) as Record<string, unknown>,
    }),
  )
}

/** The same conversation as LangChain has it. */
export function asLangChain({ messages }: BenchRequest): BaseMessage[] {
  return messages.map((message, index) => {
    const base = { id: `m${index}`, content: message.content ?? '' }
    switch (message.role) {
      case 'system':
        return new SystemMessage(base)
      case 'user':
        return new HumanMessage(base)
      case 'tool':
        return new ToolMessage({ ...base, tool_call_id: message.tool_call_id ?? '' })
      case 'assistant':
        return new AIMessage({ ...base, tool_calls: callsOf(message) })
      default:
        return message.role satisfies never
    }
  })
}

/** The same conversation as the AI SDK has it. */
export function asModelMessages({ messages }: BenchRequest): ModelMessage[] {
  return messages.map((message): ModelMessage => {
    const text = message.content ?? ''
    switch (message.role) {
      case 'system':
      case 'user':
        return { role: message.role, content: text }
      case 'tool': {
        const toolCallId = message.tool_call_id ?? ''
        const output = { type: 'text', value: text } as const
        return {
          role: 'tool',
          content: [{ type: 'tool-result', toolCallId, toolName: 'read_file', output }],
        }
      }
      case 'assistant': {
        const calls = callsOf(message).map(({ id: toolCallId, name: toolName, args: input }) => ({
          type: 'tool-call' as const,
          toolCallId,
          toolName,
          input,
        }))
        return { role: 'assistant', content: calls.length > 0 ? calls : text }
      }
      default:
        return message.role satisfies never
    }
  })
}
