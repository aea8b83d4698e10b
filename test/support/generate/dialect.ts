import type { Native } from '../native.ts'
import type { Draw } from './draw.ts'
import type { TextSizes } from './texts.ts'
import type { ToolUse } from './tool-use.ts'

/** Gives an id that no other call of the conversation has. */
export type NextId = (prefix: string) => string

/** How a format spells each kind of step. Every kind but `reply` and `open` ends on the user's side. */
export interface Dialect {
  readonly ask: (draw: Draw, sizes: TextSizes) => Native[]
  readonly reply: (draw: Draw, sizes: TextSizes) => Native[]
  /** Calls of one turn and all their results. */
  readonly use: (uses: readonly ToolUse[], draw: Draw, sizes: TextSizes, nextId: NextId) => Native[]
  /** Calls that nobody answered yet. */
  readonly open: (
    uses: readonly ToolUse[],
    draw: Draw,
    sizes: TextSizes,
    nextId: NextId,
  ) => Native[]
  readonly media: (draw: Draw, sizes: TextSizes) => Native[]
  readonly system: (draw: Draw, sizes: TextSizes) => Native[]
  /** Tools that the provider runs itself. */
  readonly hosted: (draw: Draw, sizes: TextSizes, nextId: NextId) => Native[]
  /** A part of a kind that nobody knows. */
  readonly odd: (draw: Draw, sizes: TextSizes) => Native[]
  /** Empty or blank content, as far as the provider accepts it. */
  readonly empty: (draw: Draw, sizes: TextSizes, nextId: NextId) => Native[]
  /** The request around the messages. */
  readonly frame: (
    draw: Draw,
    sizes: TextSizes,
    messages: readonly Native[],
  ) => Native & { readonly messages: readonly Native[] }
}
