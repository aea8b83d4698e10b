import type { Part } from '../core/model.ts'

/** A part before it gets its place. */
export type Draft = Part extends infer P
  ? P extends Part
    ? Omit<P, 'seq' | 'index'>
    : never
  : never

/** Gives back the parts of a unit, each with its place in it. */
export function placeParts(drafts: readonly Draft[], seq: number): readonly Part[] {
  return drafts.map((draft, index) => placed(draft, seq, index))
}

/**
 * What nearly all parts are is spelled out: a spread over objects of many shapes is most of what reading a long history
 * takes.
 */
function placed(draft: Draft, seq: number, index: number): Part {
  if (draft.cacheMark === undefined) {
    if (draft.type === 'text') return { type: 'text', text: draft.text, seq, index }
    if (draft.type === 'tool-result') {
      const { callId, text, isError } = draft
      return { type: 'tool-result', callId, text, isError, seq, index }
    }
    if (draft.type === 'tool-call') {
      const { callId, tool, input } = draft
      return { type: 'tool-call', callId, tool, input, seq, index }
    }
  }
  return { ...draft, seq, index } as Part // a draft lacks the place alone
}
