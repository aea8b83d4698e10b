/** The engine in the calling thread, for Node, service workers and tests: `createTamp({ engine: localEngine() })`. */
import type { Encoding } from '../core/encoding.ts'
import type { StoreFactory } from '../engine/conversation/conversations.ts'
import type { Engine } from '../engine/engine.ts'
import { threadEngine } from '../engine/local.ts'
import { loadRanks } from '../engine/rank-loading.ts'
import { rankUrls } from '../engine/rank-urls.ts'
import { type Counters, countersOver } from '../tokens/counters.ts'

/** What a local engine may be given. */
export interface LocalOptions {
  /** Makes the store of a name; by default IndexedDB, or memory where there is none. */
  readonly store?: StoreFactory
  /** The rank file of an encoding, or its address; by default the file beside the library. */
  readonly ranks?: Readonly<Partial<Record<Encoding, string | URL | Uint8Array>>>
}

/** Gives back an engine that works in the calling thread. */
export function localEngine({ store, ranks }: LocalOptions = {}): Engine {
  const counters = ranks ? countersOf(ranks) : sharedCounters()
  return threadEngine(store ? { counters, store } : { counters })
}

let shared: Counters | undefined

/** The tables take some megabytes: engines that say nothing of them use the same ones. */
function sharedCounters(): Counters {
  shared ??= countersOf({})
  return shared
}

function countersOf(ranks: NonNullable<LocalOptions['ranks']>): Counters {
  return countersOver(async (encoding) => {
    const own = ranks[encoding]
    if (own instanceof Uint8Array) return { bytes: own }
    const urls = rankUrls(own === undefined ? {} : { [encoding]: own })
    return loadRanks(encoding, urls[encoding])
  })
}
