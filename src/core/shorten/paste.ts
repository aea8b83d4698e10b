import { utf8Length } from './characters.ts'
import { shortenResult } from './shorten.ts'

interface Region {
  readonly from: number
  readonly to: number
}

/** What stands between runs of lines. */
const BLANK_LINES = /\n[ \t\r]*\n/gu
const FENCE = '```'

/**
 * Gives back a message in which each paste of more than `longBytes` takes about `toBytes`; all else stays as it
 * is. A paste is a fenced block, or, where no fenced one is long, the longest run between blank lines. The
 * message itself where it has none.
 */
export function shortenPaste(text: string, longBytes: number, toBytes: number): string {
  const fenced = fencedRegions(text).filter((region) => sizeOf(text, region) > longBytes)
  const regions = fenced.length > 0 ? fenced : longestRun(text, longBytes)
  let out = ''
  let at = 0
  for (const { from, to } of regions) {
    out += text.slice(at, from) + shortenResult(text.slice(from, to), toBytes, undefined)
    at = to
  }
  return out + text.slice(at)
}

function sizeOf(text: string, { from, to }: Region): number {
  return utf8Length(text.slice(from, to))
}

/** The contents of fenced blocks, line by line: a fence opens one and the next bare fence closes it. */
function fencedRegions(text: string): readonly Region[] {
  const regions: Region[] = []
  let open: number | undefined
  for (let from = 0; from <= text.length; ) {
    const end = text.indexOf('\n', from)
    const to = end === -1 ? text.length : end
    if (text.startsWith(FENCE, from)) {
      const isBare = text.slice(from + FENCE.length, to).trim() === ''
      if (open === undefined) open = to + 1
      else if (isBare) {
        regions.push({ from: open, to: Math.max(open, from - 1) })
        open = undefined
      }
    }
    from = to + 1
  }
  return regions
}

function longestRun(text: string, longBytes: number): readonly Region[] {
  const breaks = [...text.matchAll(BLANK_LINES)]
  const starts = [0, ...breaks.map((match) => match.index + match[0].length)]
  const ends = [...breaks.map((match) => match.index), text.length]
  const runs = starts.map((from, index) => ({ from, to: ends[index] ?? text.length }))
  const longest = runs.reduce((best, run) => (run.to - run.from > best.to - best.from ? run : best))
  return sizeOf(text, longest) > longBytes ? [longest] : []
}
