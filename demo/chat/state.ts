import { type Signal, signal } from '@preact/signals'
import type { Measurement } from 'tamp'
import type { Usage } from '../simulator/protocol.ts'
import type { Conversation } from './conversation.ts'
import type { PartialReply } from './exchange.ts'
import type { FailureWords } from './failure.ts'
import { type PersonaChoice, personaChoices } from './persona.ts'
import type { SentRequest } from './sent.ts'
import type { WindowTokens } from './window.ts'

/** What the chat is doing; `fitting` is the time that Tamp takes before a request. */
export type Activity = 'idle' | 'fitting' | 'answering'

/** Tokens of the request that an answer was made from, before and after the compaction. */
export interface AnsweredFrom {
  readonly tokensBefore: number
  readonly tokensAfter: number
}

/** Everything that the page shows of one chat. */
export interface ChatState {
  readonly conversation: Signal<Conversation>
  readonly persona: Signal<PersonaChoice>
  readonly windowTokens: Signal<WindowTokens>
  readonly draft: Signal<string>
  readonly activity: Signal<Activity>
  /** The answer while it arrives. */
  readonly partial: Signal<PartialReply | undefined>
  readonly failure: Signal<FailureWords | undefined>
  readonly sent: Signal<SentRequest | undefined>
  /** By index of the answer in the conversation; only where something was compacted. */
  readonly answeredFrom: Signal<ReadonlyMap<number, AnsweredFrom>>
  readonly measurement: Signal<Measurement | undefined>
  /** As the provider reported it for the last request. */
  readonly usage: Signal<Usage | undefined>
}

/** Gives back the state of a chat that has just been opened, with a window of 8,192 tokens. */
export function createChatState(start: Conversation): ChatState {
  return {
    conversation: signal(start),
    persona: signal<PersonaChoice>(personaChoices[0]),
    windowTokens: signal<WindowTokens>(8192),
    draft: signal(''),
    activity: signal<Activity>('idle'),
    partial: signal<PartialReply>(),
    failure: signal<FailureWords>(),
    sent: signal<SentRequest>(),
    answeredFrom: signal<ReadonlyMap<number, AnsweredFrom>>(new Map()),
    measurement: signal<Measurement>(),
    usage: signal<Usage>(),
  }
}
