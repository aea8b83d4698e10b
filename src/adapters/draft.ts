import type { Part } from '../core/model.ts'

/** A part before it gets its place. */
export type Draft = Part extends infer P
  ? P extends Part
    ? Omit<P, 'seq' | 'index'>
    : never
  : never

/** Gives back the parts of a unit, each with its place in it. */
export function placeParts(drafts: readonly Draft[], seq: number): readonly Part[] {
  return drafts.map((draft, index) => ({ ...draft, seq, index }) as Part) // a draft lacks the place alone
}
