import type { Format } from '../../../src/core/model.ts'
import type { Conversation, Tamp, TampOptions } from '../../../src/index.ts'
import type { LogStore } from '../../../src/storage/log-store.ts'
import { type FailingStore, failingStore } from '../failing-store.ts'
import { type Draw, drawFrom } from '../generate/draw.ts'
import type { Native, NativeRequest } from '../native.ts'
import { openTab } from '../tabs.ts'
import { ScriptedSummarizer } from './summarizer.ts'
import { ChatTree, ROOT } from './tree.ts'
import { Writing } from './writing.ts'

/** An app in its tab: it has its own list of messages, and knows nothing of nodes. */
export interface Tab {
  readonly tamp: Tamp
  conversation: Conversation
  /** What the app sends, leading messages aside. */
  history: Native[]
  /** The first so many messages are Tamp's own output, sent back, and stand for these nodes. */
  echo: { readonly count: number; readonly nodes: readonly number[] }
  /** Codes of storage notices, in order. */
  readonly told: string[]
  /** Compactions that were announced. */
  ends: number
}

/** Something that was sent once. */
export interface Sent {
  readonly path: readonly number[]
  /** The compaction it was made with. */
  readonly compaction: string
  readonly messages: readonly string[]
  /** Messages that stand before the conversation. */
  readonly leading: number
}

/** A reply that was cut off. */
export interface CutReply {
  readonly parent: number
  readonly message: Native
}

let places = 0

/** One conversation with its store and tabs, and all that the naive model knows of it. */
export class World {
  readonly format: Format
  readonly draw: Draw
  readonly writing: Writing
  readonly tree = new ChatTree()
  readonly failing: FailingStore
  readonly summarizer: ScriptedSummarizer
  readonly options: TampOptions
  readonly windowTokens: number
  readonly reserveTokens: number
  tabs: Tab[] = []
  /** The node that the active path ends with. */
  tip = ROOT
  /** Every path that was sent, so that an app can go back to it. */
  paths: (readonly number[])[] = []
  sent: Sent[] = []
  /** Messages on the path when a compaction was first seen. */
  readonly depths = new Map([['', 0]])
  cutReplies: CutReply[] = []
  isFailing = false
  /** Set while a tab that could not read the store works on an empty log: the tip as the store has it. */
  storedTip: number | undefined
  /** True once that tab sent something; an empty request is no news to an empty log. */
  hasSentBlindly = false
  isMarked = false
  isProxied = false
  private readonly name = `chat model ${places++}`
  private readonly skip: (ms: number) => void

  constructor(
    store: LogStore,
    { format, seed }: { readonly format: Format; readonly seed: number },
    skip: (ms: number) => void,
  ) {
    this.format = format
    this.skip = skip
    this.draw = drawFrom(seed)
    this.writing = new Writing(format, this.draw)
    this.failing = failingStore({ ...bound(store), durable: true })
    this.summarizer = new ScriptedSummarizer(this.draw)
    this.windowTokens = 700 + this.draw.below(2000)
    this.reserveTokens = this.draw.pick([0, 100])
    this.options = {
      window: this.windowTokens,
      reserveTokens: this.reserveTokens,
      store: { name: this.name },
      ...(this.draw.chance(60) ? { summarizer: this.summarizer.summarize } : {}),
      ...(this.draw.chance(20) ? { tidy: 'eager' } : {}),
    }
    this.open([])
  }

  /** Opens a tab whose app starts from these nodes. */
  open(nodes: readonly number[]): Tab {
    const tamp = openTab(this.failing.store, this.options)
    const tab: Tab = {
      tamp,
      conversation: tamp.conversation('chat'),
      history: nodes.map((node) => structuredClone(this.tree.native(node))),
      echo: { count: 0, nodes: [] },
      told: [],
      ends: 0,
    }
    this.listen(tab)
    this.tabs.push(tab)
    return tab
  }

  listen(tab: Tab): void {
    tab.conversation.on('storage', ({ code }) => tab.told.push(code))
    tab.conversation.on('compaction:end', () => {
      tab.ends++
    })
  }

  async close(tab: Tab): Promise<void> {
    this.tabs = this.tabs.filter((other) => other !== tab)
    await tab.tamp.close()
  }

  /** What a person would see: the originals of the active path. */
  visible(tip = this.tip): readonly number[] {
    return this.tree.path(tip).filter((node) => !this.tree.isForgotten(node))
  }

  /** The path that a tab's history stands for; what is new of it is in the tree from now on. */
  place({ history, echo }: Tab): readonly number[] {
    const nodes = [...echo.nodes]
    for (const message of history.slice(echo.count)) {
      const parent = nodes.at(-1) ?? ROOT
      if (!this.tree.has(parent, message)) this.dropCutReplies(parent)
      nodes.push(this.tree.add(parent, message))
    }
    return nodes
  }

  /** The active path ends with another node from now on. */
  moveTo(node: number): void {
    this.tip = node
    if (node !== ROOT) this.hasSentBlindly = true
  }

  dropCutReplies(parent: number): void {
    this.cutReplies = this.cutReplies.filter((reply) => reply.parent !== parent)
  }

  /** A tab's history becomes these originals. */
  rewind(tab: Tab, nodes: readonly number[]): void {
    tab.history = nodes.map((node) => structuredClone(this.tree.native(node)))
    tab.echo = { count: 0, nodes: [] }
  }

  requestOf({ history }: Tab): Native & NativeRequest {
    const messages = this.isMarked ? withMarks(history) : [...history]
    const sent = this.isProxied ? messages.map((message) => proxied(message) as Native) : messages
    return { ...this.writing.head, messages: [...this.writing.head.messages, ...sent] }
  }

  /** Lets the time pass after which a store that failed is asked again. */
  waitForStore(): void {
    this.skip(3_000)
  }

  async end(): Promise<void> {
    for (const tab of [...this.tabs]) await this.close(tab)
  }
}

function bound(store: LogStore): LogStore {
  return {
    durable: store.durable,
    heads: () => store.heads(),
    read: (conversation) => store.read(conversation),
    change: (request, decide) => store.change(request, decide),
    onSignal: (listener) => store.onSignal(listener),
    close: () => store.close(),
  }
}

/** The mark that moves: on the last block of the newest message that can carry one. */
function withMarks(history: readonly Native[]): Native[] {
  const at = history.findLastIndex(({ content }) => Array.isArray(content) && content.length > 0)
  return history.map((message, index) => {
    if (index !== at || !Array.isArray(message.content)) return message
    const last = { ...message.content.at(-1), cache_control: { type: 'ephemeral' } }
    return { ...message, content: [...message.content.slice(0, -1), last] }
  })
}

function proxied(value: object): object {
  return new Proxy(value, {
    get: (target, name) => {
      const held = Reflect.get(target, name)
      return typeof held === 'object' && held !== null ? proxied(held) : held
    },
  })
}
