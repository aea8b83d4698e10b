import { type Signal, signal } from '@preact/signals'
import type { CompactionRecord, Conversation, ConversationSnapshot, Measurement } from 'tamp'
import type { Usage } from '../simulator/protocol.ts'
import type { PartialReply } from './exchange.ts'
import type { FailureWords } from './failure.ts'
import type { About } from './opening.ts'
import type { PathMessage } from './path.ts'
import { type PersonaChoice, personaChoices } from './persona.ts'
import type { RequestSettings } from './request.ts'
import type { SentRequest } from './sent.ts'
import type { WindowTokens } from './window.ts'

/** What the chat is doing; `fitting` is the time that Tamp takes before a request. */
export type Activity = 'idle' | 'fitting' | 'answering' | 'compacting'

/** Tokens of the request that an answer was made from, before and after the compaction. */
export interface AnsweredFrom {
  readonly tokensBefore: number
  readonly tokensAfter: number
}

/** Everything that the page shows of one chat. */
export interface ChatState {
  /** Where the messages are kept. */
  readonly conversation: Signal<Conversation>
  readonly about: Signal<About>
  /** The messages that are shown, which are also what the next request is made from. */
  readonly path: Signal<readonly PathMessage[]>
  /** True until what is stored of the conversation was read for the first time. */
  readonly isOpening: Signal<boolean>
  /** Shows the newest path through this message; `undefined` shows the active one. */
  readonly through: Signal<number | undefined>
  readonly compactions: Signal<readonly CompactionRecord[]>
  readonly snapshot: Signal<ConversationSnapshot | undefined>
  readonly persona: Signal<PersonaChoice>
  readonly windowTokens: Signal<WindowTokens>
  readonly draft: Signal<string>
  /** Index in the path of the user message that is being written anew. */
  readonly editing: Signal<number | undefined>
  readonly activity: Signal<Activity>
  /** The answer while it arrives. */
  readonly partial: Signal<PartialReply | undefined>
  readonly failure: Signal<FailureWords | undefined>
  /** The last request, beside the one it was made from. */
  readonly sent: Signal<SentRequest | undefined>
  /** What was fitted once, without being sent. */
  readonly fitted: Signal<SentRequest | undefined>
  /** By index of the answer in the path; only where something was compacted for it. */
  readonly answeredFrom: Signal<ReadonlyMap<number, AnsweredFrom>>
  readonly measurement: Signal<Measurement | undefined>
  /** True while the newest measurement is on its way. */
  readonly isMeasuring: Signal<boolean>
  /** As the provider reported it for the last request. */
  readonly usage: Signal<Usage | undefined>
}

/** Gives back the state of a chat that has just been opened, with a window of 8,192 tokens. */
export function createChatState(conversation: Conversation, about: About): ChatState {
  return {
    conversation: signal(conversation),
    about: signal(about),
    path: signal<readonly PathMessage[]>([]),
    isOpening: signal(false),
    through: signal<number>(),
    compactions: signal<readonly CompactionRecord[]>([]),
    snapshot: signal<ConversationSnapshot>(),
    persona: signal<PersonaChoice>(personaChoices[0]),
    windowTokens: signal<WindowTokens>(8192),
    draft: signal(''),
    editing: signal<number>(),
    activity: signal<Activity>('idle'),
    partial: signal<PartialReply>(),
    failure: signal<FailureWords>(),
    sent: signal<SentRequest>(),
    fitted: signal<SentRequest>(),
    answeredFrom: signal<ReadonlyMap<number, AnsweredFrom>>(new Map()),
    measurement: signal<Measurement>(),
    isMeasuring: signal(false),
    usage: signal<Usage>(),
  }
}

/** Gives back what the next request is made with, the messages apart. */
export function settingsOf({ about, persona, windowTokens }: ChatState): RequestSettings {
  return { about: about.value, persona: persona.value, windowTokens: windowTokens.value }
}
