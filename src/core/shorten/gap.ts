import { callAgain, charactersOmitted, itemsOmitted, linesOmitted } from '../marker.ts'

/**
 * The texts of gaps, each with a number, and how to get the original back. `hint` stands inside the first
 * gap only: it costs tokens each time.
 */
export interface GapTexts {
  readonly lines: (count: number) => string
  readonly characters: (count: number) => string
  readonly items: (count: number, of: number) => string
}

/** Gives back the texts of gaps in a result of `tool`; without a tool no way back is named. */
export function gapTexts(tool: string | undefined): GapTexts {
  const hint = callAgain(tool)
  const withHint = (text: string) => `${text.slice(0, -1)}${hint}]`
  return {
    lines: (count) => withHint(linesOmitted(count)),
    characters: (count) => withHint(charactersOmitted(count)),
    items: (count, of) => withHint(itemsOmitted(count, of)),
  }
}

const GAP =
  /\[\d+ (?:lines?|characters?|items? of \d+) omitted(?:; call [^\]\n]{1,100} again to see all)?\]/u

/** True for a text in which an earlier shortening left a gap. */
export function hasGap(text: string): boolean {
  return GAP.test(text)
}
