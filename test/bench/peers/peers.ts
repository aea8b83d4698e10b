import { type BaseMessage, trimMessages } from '@langchain/core/messages'
import { FakeListChatModel } from '@langchain/core/utils/testing'
import { pruneMessages } from 'ai'
import { countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base'
import { ClearToolUsesEdit, summarizationMiddleware } from 'langchain'
import type { BenchRequest } from '../conversation.ts'
import { tampFit, tampPrepare } from './ours.ts'
import { asLangChain, asModelMessages } from './request.ts'

/** One way to bring a conversation down to half of its size, or to make its next request. */
export interface Peer {
  readonly name: string
  /** Gets ready, unmeasured, and gives back what is measured. */
  readonly prepare: (request: BenchRequest, budgetTokens: number) => Work | Promise<Work>
}

/** What is measured; gives back how many messages it leaves. */
export type Work = () => Promise<number>

// Text that spells a special token is ordinary text; the cache must never reach its size (TOKENS 1).
const asText = { disallowedSpecial: new Set<string>() }
setMergeCacheSize(10_000_000)

/** What a message takes, with a real tokenizer. */
function tokensOf(message: BaseMessage): number {
  const calls = 'tool_calls' in message ? JSON.stringify(message.tool_calls) : ''
  return 4 + countTokens(`${message.content}${calls}`, asText)
}

/** What the bench uses of the middleware, whose own types come to `never` under this compiler. */
type Summarization = (options: {
  readonly model: FakeListChatModel
  readonly trigger: { readonly tokens: number }
  readonly keep: { readonly tokens: number }
  readonly tokenCounter: (messages: BaseMessage[]) => number
}) => {
  readonly beforeModel: (
    state: { readonly messages: readonly BaseMessage[] },
    runtime: { readonly context: object },
  ) => Promise<{ readonly messages: readonly BaseMessage[] } | undefined>
}

/** A counter for LangChain that counts each message each time it is asked. */
function plainCounter(messages: BaseMessage[]): number {
  return messages.reduce((sum, message) => sum + tokensOf(message), 0)
}

/** A counter that counts each message once: the most that an app can do for it. */
function rememberingCounter(): (messages: BaseMessage[]) => number {
  const known = new WeakMap<BaseMessage, number>()
  return (messages) => {
    let sum = 0
    for (const message of messages) {
      const tokens = known.get(message) ?? tokensOf(message)
      known.set(message, tokens)
      sum += tokens
    }
    return sum
  }
}

function trimmed(counter: () => (messages: BaseMessage[]) => number): Peer['prepare'] {
  return (request, maxTokens) => {
    const messages = asLangChain(request)
    const options = { maxTokens, strategy: 'last', includeSystem: true, startOn: 'human' } as const
    return async () =>
      (await trimMessages(messages, { ...options, tokenCounter: counter() })).length
  }
}

/** All peers, and Tamp at the same work. */
export const peers: readonly Peer[] = [
  { name: 'Tamp, fit', prepare: tampFit },
  { name: 'Tamp, prepare after one more message', prepare: tampPrepare },
  {
    name: 'LangChain trimMessages, each message counted once',
    prepare: trimmed(rememberingCounter),
  },
  {
    name: 'LangChain trimMessages, plain',
    prepare: trimmed(() => plainCounter),
  },
  {
    name: 'LangChain summarizationMiddleware, scripted model',
    prepare: (request, budgetTokens) => {
      const messages = asLangChain(request)
      const make = summarizationMiddleware as unknown as Summarization // see there
      const { beforeModel } = make({
        model: new FakeListChatModel({ responses: ['What was said so far, in one sentence.'] }),
        trigger: { tokens: budgetTokens },
        keep: { tokens: budgetTokens },
        tokenCounter: plainCounter,
      })
      return async () => {
        const answer = await beforeModel({ messages }, { context: {} })
        if (!answer) throw new Error('nothing was summarized')
        return answer.messages.length
      }
    },
  },
  {
    name: 'LangChain ClearToolUsesEdit',
    prepare: (request, budgetTokens) => {
      const messages = asLangChain(request)
      const edit = new ClearToolUsesEdit({
        trigger: { tokens: budgetTokens },
        keep: { messages: 3 },
      })
      const model = new FakeListChatModel({ responses: ['-'] })
      return async () => {
        await edit.apply({ messages, model, countTokens: plainCounter })
        return messages.length
      }
    },
  },
  {
    name: 'AI SDK pruneMessages (no budget, nothing counted)',
    prepare: (request) => {
      const messages = asModelMessages(request)
      return async () =>
        pruneMessages({ messages, toolCalls: 'before-last-20-messages', emptyMessages: 'remove' })
          .length
    },
  },
]
