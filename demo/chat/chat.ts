import { batch, effect } from '@preact/signals'
import type { Tamp, Turn } from 'tamp'
import { type AnswerParts, answerNow, prepareNow, settleTurn } from './answer.ts'
import { type Branches, createBranches } from './branches.ts'
import { type Compactions, createCompactions } from './compactions.ts'
import { describeFailure } from './failure.ts'
import { type FitLimit, fitOnce } from './fit.ts'
import { followHistory, type LiveHistory } from './live-history.ts'
import { countHistory, measureContext } from './measure-context.ts'
import { canChat, emptyOpening, type NativeMessage, type Opening } from './opening.ts'
import { historyOf, settledPath, unstored } from './path.ts'
import type { ChatRequestBody } from './request.ts'
import { createRunner, type Runner } from './runner.ts'
import type { ChatSettings, SettingsStore } from './settings.ts'
import { type ChatState, createChatState, settingsOf } from './state.ts'
import { resultsFor, runTurn } from './turn.ts'

/** What the page needs of Tamp. */
export type ChatTamp = Pick<Tamp, 'fit' | 'measure' | 'conversation' | 'conversations'>

export interface ChatParts extends Pick<AnswerParts, 'providerFor'> {
  readonly tamp: ChatTamp
  readonly settings: SettingsStore
  readonly newId: () => string
  /** The conversation that the page begins with. */
  readonly start: Start
  /** Says something to people who listen instead of looking. */
  readonly announce: (text: string) => void
}

/** A conversation to open; what it holds already wins over the opening. */
export interface Start {
  readonly id: string
  readonly opening: Opening
  /** True for an id that was just made: nothing can be stored of it, so nothing is waited for. */
  readonly isNew?: boolean
}

/** One chat: its state, and what a person can do. No action rejects; failures are state. */
export interface Chat extends ChatState, Compactions, Branches {
  readonly send: (text: string) => Promise<void>
  /** Asks again with the history as it is. */
  readonly retry: () => Promise<void>
  readonly stop: () => void
  /** Opens a stored conversation, or begins it. */
  readonly open: (id: string, opening?: Opening) => void
  readonly startNew: () => void
  /** Begins a conversation with the messages of a file and stores them. */
  readonly openFile: (opening: Opening) => Promise<void>
  /** Fits without sending, for conversations that the simulator cannot continue. */
  readonly fitTo: (limitTokens: number) => Promise<void>
  /** Gives back the tokens of a whole history; `undefined` where they could not be counted. */
  readonly countHistory: (full: ChatRequestBody) => Promise<number | undefined>
}

/** What belongs to the conversation that is open now. */
interface Session {
  history: LiveHistory
  /** Settled once what was stored is shown. */
  loaded: Promise<void>
  /** The turn whose reply is arriving. */
  turn: Turn<ChatRequestBody> | undefined
}

/** Creates a chat over one Tamp and one provider, with the conversation of `start` open. */
export function createChat(parts: ChatParts): Chat {
  const { tamp, start } = parts
  const state = createChatState(tamp.conversation(start.id), start.opening)
  const runner = createRunner(state, parts.announce)
  const session = beginSession(state, start, parts.settings.read(start.id))
  const stop = () => stopNow(state, session, runner)
  const show = (next: Start) => {
    stop()
    session.history.release()
    // At once, or the settings of the one would be kept under the name of the other.
    batch(() => {
      state.conversation.value = tamp.conversation(next.id)
      Object.assign(session, beginSession(state, next, parts.settings.read(next.id)))
    })
  }
  const begin = (opening: Opening) => show({ id: parts.newId(), opening, isNew: true })
  const runTurnNow = (seed?: number) =>
    runner.run((signal) => turn(state, session, { ...parts, seed, signal }), 'Reply finished')
  keepSettings(state, parts.settings)
  measureContext(state)
  return {
    ...state,
    ...createCompactions(state, runner, () => session.history),
    ...createBranches(state, runTurnNow, () => session.history.refresh()),
    async send(text) {
      await session.loaded
      if (!canSend(state, text)) return
      say(state, text)
      await runTurnNow()
    },
    retry: () => runTurnNow(),
    stop,
    open: (id, opening = emptyOpening()) => show({ id, opening }),
    startNew: () => begin(emptyOpening()),
    openFile(opening) {
      begin(opening)
      return runner.run((signal) => storeOpening(state, session, signal), 'Opened')
    },
    fitTo: (limitTokens) =>
      runner.run((signal) => fitNow(state, tamp, { limitTokens, signal }), 'Fitted'),
    countHistory: (full) => countHistory(state, tamp, full),
  }
}

function beginSession(
  state: ChatState,
  { opening, isNew = false }: Start,
  settings: ChatSettings | undefined,
): Session {
  const { messages, ...about } = opening
  resetState(state)
  batch(() => {
    state.isOpening.value = !isNew
    state.about.value = settings?.about ?? about
    state.path.value = messages.map(unstored)
    if (settings !== undefined) {
      state.persona.value = settings.persona
      state.windowTokens.value = settings.windowTokens
    }
  })
  const history = followHistory(state)
  if (!isNew) return { history, loaded: history.refresh(), turn: undefined }
  // Tells where it will be kept; what is said meanwhile need not wait for that.
  void history.refreshKeeping()
  return { history, loaded: Promise.resolve(), turn: undefined }
}

function resetState(state: ChatState): void {
  batch(() => {
    state.through.value = undefined
    state.compactions.value = []
    state.snapshot.value = undefined
    state.editing.value = undefined
    state.failure.value = undefined
    state.sent.value = undefined
    state.fitted.value = undefined
    state.usage.value = undefined
    state.measurement.value = undefined
    state.answeredFrom.value = new Map()
  })
}

/** A reload must send what would have been sent without it. */
function keepSettings(state: ChatState, settings: SettingsStore): void {
  effect(() => {
    const { about, persona, windowTokens } = state
    const kept = { about: about.value, persona: persona.value, windowTokens: windowTokens.value }
    // A chat in which nothing was said leaves nothing behind.
    if (state.path.value.length > 0) settings.write(state.conversation.value.id, kept)
  })
}

function canSend({ about, activity }: ChatState, text: string): boolean {
  return text.trim() !== '' && canChat(about.value) && activity.value === 'idle'
}

/** Adds what was said, in the place of the message that was being edited if there is one. */
function say({ path, editing, through }: ChatState, text: string): void {
  batch(() => {
    const before = settledPath(path.value.slice(0, editing.value))
    path.value = [...before, unstored({ role: 'user', content: text })]
    editing.value = undefined
    through.value = undefined
  })
}

async function turn(
  state: ChatState,
  session: Session,
  parts: Omit<AnswerParts, 'onTurn'>,
): Promise<void> {
  const append = (...messages: readonly NativeMessage[]) => {
    state.path.value = [...state.path.value, ...messages.map(unstored)]
  }
  const onTurn: AnswerParts['onTurn'] = (ready) => {
    session.turn = ready
  }
  try {
    // A reload may have come between the calls of a reply and their results.
    append(...resultsFor(state.path.value.at(-1)))
    await runTurn({ answer: () => answerNow(state, { ...parts, onTurn }), append })
  } finally {
    if (!parts.signal.aborted) await showStored(session)
  }
}

/** Stores what a file held. */
async function storeOpening(
  state: ChatState,
  session: Session,
  signal: AbortSignal,
): Promise<void> {
  try {
    await prepareNow(state, { seed: undefined, signal })
  } finally {
    if (!signal.aborted) await showStored(session)
  }
}

async function showStored(session: Session): Promise<void> {
  session.turn = undefined
  await session.history.refreshKeeping()
}

/** What had arrived when the person stopped stays, without calls, which would have no results. */
function stopNow(state: ChatState, session: Session, runner: Runner): void {
  const content = state.partial.value?.text ?? ''
  const { turn: stopped, history } = session
  if (!runner.stop()) return
  session.turn = undefined
  const message = { role: 'assistant', content }
  if (content !== '') state.path.value = [...state.path.value, unstored(message)]
  const isKept = content !== '' && stopped !== undefined
  const settled = isKept ? settleTurn(stopped, { message }) : Promise.resolve()
  void settled.then(history.refreshKeeping, (error: unknown) => {
    state.failure.value = describeFailure(error)
  })
}

async function fitNow(state: ChatState, tamp: ChatTamp, limit: FitLimit): Promise<void> {
  state.activity.value = 'fitting'
  const source = { settings: settingsOf(state), history: historyOf(state.path.value) }
  const sent = await fitOnce(tamp, source, limit)
  limit.signal.throwIfAborted()
  batch(() => {
    state.sent.value = sent
    state.fitted.value = sent
  })
}
