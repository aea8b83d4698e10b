import type { AssemblyUpdate } from '../engine/conversation-jobs.ts'
import type { Assembly } from '../engine/engine.ts'

/** An assembly that the page has, by the name that the engine gave it. */
export interface Assembled {
  readonly token: string
  readonly items: Assembly
}

/** Gives back the assembly that an update makes of the one that the job had named. */
export function assembledFrom(
  known: Assembled | undefined,
  { token, kept, items }: AssemblyUpdate,
): Assembled {
  return { token, items: kept === 0 ? items : [...(known?.items.slice(0, kept) ?? []), ...items] }
}
