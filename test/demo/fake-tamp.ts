/** A Tamp for tests of the page's state: counts a token a character and folds the head on demand. */
import { CHECKPOINT_END, CHECKPOINT_START, type CompactionReport, type Measurement } from 'tamp'
import type { ChatTamp } from '../../demo/chat/chat.ts'
import type { NativeMessage } from '../../demo/chat/opening.ts'
import { contentText } from '../../demo/chat/sent.ts'
import { FakeLog, type FakeRequest, fakeConversation, summaryOf } from './fake-conversation.ts'

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

/** What a test decides: the fitting of one request. It may throw. */
export type FakeFit = (messages: readonly NativeMessage[]) => readonly NativeMessage[]

/** Conversations by id: what several tabs share. */
export type FakeStore = Map<string, FakeLog>

/** Creates a Tamp whose fitting asks the test; equal messages given back mean that nothing was done. */
export function fakeTamp(
  fitMessages: FakeFit = (messages) => messages,
  store: FakeStore = new Map(),
): ChatTamp {
  const fitRequest = (request: FakeRequest) => fitWith(fitMessages, request)
  const logOf = (id: string) => {
    const log = store.get(id) ?? new FakeLog()
    store.set(id, log)
    return log
  }
  const measure = async (request: object) =>
    measured({ turns: countTexts((request as FakeRequest).messages) }) // the page hands in such requests alone
  const fake = {
    fit: async (request: FakeRequest) => fitRequest(request),
    measure,
    conversation: (id: string) => fakeConversation(id, logOf(id), { fit: fitRequest, measure }),
    conversations: async () =>
      [...store]
        .filter(([, log]) => log.entries.length > 0 && !log.deleted)
        .map(([id, log]) => summaryOf(id, log)),
  }
  // The generics of `fit` cannot be written for a fake.
  return fake as unknown as ChatTamp
}

function fitWith(fitMessages: FakeFit, request: FakeRequest) {
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
}

function countTexts(messages: readonly NativeMessage[]): number {
  return messages.reduce((total, message) => total + contentText(message).length, 0)
}
