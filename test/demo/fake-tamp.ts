/** A Tamp for tests of the page's state: counts a token a character and folds the head on demand. */
import {
  CHECKPOINT_END,
  CHECKPOINT_START,
  type CompactionReport,
  type Measurement,
  type Tamp,
} from 'tamp'
import type { NativeMessage } from '../../demo/chat/conversation.ts'
import { contentText } from '../../demo/chat/sent.ts'

type Segments = Measurement['segments']

export function measured(segments: Partial<Segments>): Measurement {
  const all = { system: 0, tools: 0, task: 0, checkpoint: 0, turns: 0, media: 0, ...segments }
  const totalTokens = Object.values(all).reduce((total, tokens) => total + tokens, 0)
  return {
    totalTokens,
    limitTokens: undefined,
    floorTokens: 0,
    freeTokens: undefined,
    counting: 'exact',
    segments: all,
    messages: [],
  }
}

export function report(changes: Partial<CompactionReport> = {}): CompactionReport {
  return {
    trigger: 'threshold',
    outcome: 'compacted',
    reason: undefined,
    steps: [],
    tokensBefore: 9310,
    tokensAfter: 4102,
    overheadTokens: 0,
    floorTokens: 0,
    limitTokens: 7168,
    keptPrefixTokens: 0,
    messagesBefore: 42,
    messagesAfter: 9,
    summary: undefined,
    summarizerCalls: 0,
    shortened: [],
    repaired: [],
    counting: 'exact',
    milliseconds: 118.4,
    ...changes,
  }
}

/** The message that a compaction puts in place of the head. */
export function checkpointMessage(body: string, joined = ''): NativeMessage {
  return { role: 'user', content: `${CHECKPOINT_START}\n${body}\n${CHECKPOINT_END}${joined}` }
}

interface FakeRequest {
  readonly messages: readonly NativeMessage[]
}

/** What a test decides: the fitting of one request. It may throw. */
export type FakeFit = (messages: readonly NativeMessage[]) => readonly NativeMessage[]

/** Creates a Tamp whose `fit` asks the test; equal messages given back mean that nothing was done. */
export function fakeTamp(fitMessages: FakeFit = (messages) => messages): Tamp {
  const fake = {
    ready: Promise.resolve({ worker: true }),
    on: () => () => {},
    close: async () => {},
    measure: async (request: FakeRequest) => measured({ turns: countTexts(request.messages) }),
    async fit(request: FakeRequest) {
      const messages = fitMessages(request.messages)
      if (messages === request.messages) {
        return { request, report: report({ outcome: 'nothing-to-do' }) }
      }
      const numbers = {
        tokensBefore: countTexts(request.messages),
        tokensAfter: countTexts(messages),
        messagesBefore: request.messages.length,
        messagesAfter: messages.length,
      }
      return { request: { ...request, messages }, report: report(numbers) }
    },
  }
  // The page calls these five members alone; their generics cannot be written for a fake.
  return fake as unknown as Tamp
}

function countTexts(messages: readonly NativeMessage[]): number {
  return messages.reduce((total, message) => total + contentText(message).length, 0)
}
