import { batch } from '@preact/signals'
import { type AnswerParts, answerNow, fitNow } from './answer.ts'
import { type Conversation, canChat, emptyConversation, withMessages } from './conversation.ts'
import { describeFailure } from './failure.ts'
import { measureContext } from './measure-context.ts'
import { contentText } from './sent.ts'
import { type ChatState, createChatState } from './state.ts'
import { runTurn } from './turn.ts'

export interface ChatParts extends AnswerParts {
  readonly start: Conversation
  /** Says something to people who listen instead of looking. */
  readonly announce: (text: string) => void
}

/** One chat: its state, and what a person can do. No action rejects; failures are state. */
export interface Chat extends ChatState {
  readonly send: (text: string) => Promise<void>
  /** Asks again with the history as it is. */
  readonly retry: () => Promise<void>
  /** Takes the newest user message, unanswered, back into the composer. */
  readonly takeBack: () => void
  readonly stop: () => void
  readonly open: (conversation: Conversation) => void
  readonly startNew: () => void
  /** Fits without sending, for conversations that the simulator cannot continue. */
  readonly fitTo: (limitTokens: number) => Promise<void>
}

/** Creates a chat over one Tamp and one provider. */
export function createChat(parts: ChatParts): Chat {
  const state = createChatState(parts.start)
  const runner = createRunner(state, parts.announce)
  const answerTurn = () => runner.run((signal) => turn(state, parts, signal), 'Reply finished')
  const open = (conversation: Conversation) => {
    runner.stop()
    resetState(state, conversation)
  }
  measureContext(state, parts.tamp)
  return {
    ...state,
    async send(text) {
      const isSendable = text.trim() !== '' && canChat(state.conversation.value)
      if (!isSendable || state.activity.value !== 'idle') return
      state.conversation.value = withMessages(state.conversation.value, {
        role: 'user',
        content: text,
      })
      await answerTurn()
    },
    retry: answerTurn,
    takeBack: () => takeBack(state),
    stop: runner.stop,
    open,
    startNew: () => open(emptyConversation()),
    fitTo: (limitTokens) =>
      runner.run((signal) => fitOnly(state, parts, { limitTokens, signal }), 'Fitted'),
  }
}

async function turn(state: ChatState, parts: AnswerParts, signal: AbortSignal): Promise<void> {
  await runTurn({
    answer: () => answerNow(state, parts, signal),
    append: (...messages) => {
      state.conversation.value = withMessages(state.conversation.value, ...messages)
    },
  })
}

async function fitOnly(
  state: ChatState,
  { tamp }: AnswerParts,
  options: { limitTokens: number; signal: AbortSignal },
): Promise<void> {
  await fitNow(state, tamp, options)
}

/** Runs one piece of work at a time; it can be stopped, and its failure is shown. */
function createRunner(state: ChatState, announce: (text: string) => void) {
  let current: AbortController | undefined

  async function run(work: (signal: AbortSignal) => Promise<void>, done: string): Promise<void> {
    if (current !== undefined) return
    const own = new AbortController()
    current = own
    state.failure.value = undefined
    try {
      await work(own.signal)
      announce(done)
    } catch (error) {
      if (!own.signal.aborted) state.failure.value = describeFailure(error)
    } finally {
      if (current === own) settle()
    }
  }

  /** Settles at once, so that the page answers to the key and not to the provider's last word. */
  function stop(): void {
    if (current === undefined) return
    current.abort()
    keepPartial(state)
    settle()
    announce('Stopped')
  }

  function settle(): void {
    current = undefined
    state.partial.value = undefined
    state.activity.value = 'idle'
  }

  return { run, stop }
}

/** What had arrived when the person stopped stays, without calls, which would have no results. */
function keepPartial(state: ChatState): void {
  const text = state.partial.value?.text ?? ''
  if (text === '') return
  const message = { role: 'assistant', content: text }
  state.conversation.value = withMessages(state.conversation.value, message)
}

function takeBack(state: ChatState): void {
  const { messages } = state.conversation.value
  const last = messages.at(-1)
  if (last?.role !== 'user' || state.activity.value !== 'idle') return
  batch(() => {
    state.draft.value = contentText(last)
    state.conversation.value = { ...state.conversation.value, messages: messages.slice(0, -1) }
    state.failure.value = undefined
  })
}

function resetState(state: ChatState, conversation: Conversation): void {
  batch(() => {
    state.conversation.value = conversation
    state.failure.value = undefined
    state.sent.value = undefined
    state.usage.value = undefined
    state.answeredFrom.value = new Map()
  })
}
