import type { Draw } from './draw.ts'
import { fileText, printout, speech, type TextSizes } from './texts.ts'

/** One call with what came back, before a format spells it. */
export interface ToolUse {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly result: string
  readonly isError: boolean
  /** True where the result holds an image besides its text. */
  readonly hasImage: boolean
}

const paths = ['src/quota.ts', 'src/berth.ts', 'docs/a.md', 'config/relay.toml']
const errors = [
  'error: no such file',
  'error: parameter "content" is required but was not given. The call was rejected; nothing was written.',
  'Traceback (most recent call last):\n  File "job.py", line 3\nValueError: bad row',
]

/** The kinds of steps in which tools run. */
export const toolUses = {
  reads: (draw: Draw, sizes: TextSizes): ToolUse => {
    const path = draw.pick(paths)
    const range = draw.chance(15) ? { offset: draw.below(3) * 50, limit: 50 } : {}
    return success('read_file', { path, ...range }, fileText(path, draw.below(2), sizes), draw)
  },
  writes: (draw: Draw, sizes: TextSizes): ToolUse => {
    const path = draw.pick(paths)
    if (draw.chance(40)) {
      return success(
        'edit_file',
        { path, old: speech(draw, sizes), new: speech(draw, sizes) },
        'ok',
        draw,
      )
    }
    return success(
      'write_file',
      { path, mode: 420, content: printout(draw, sizes) },
      'written',
      draw,
    )
  },
  commands: (draw: Draw, sizes: TextSizes): ToolUse => {
    return success(
      'run',
      { cmd: draw.pick(['pnpm test', 'ls -la', 'git status']) },
      printout(draw, sizes),
      draw,
    )
  },
  searches: (draw: Draw, sizes: TextSizes): ToolUse => {
    const tool = draw.pick(['list_dir', 'grep', 'web_fetch', 'get_weather'])
    return success(
      tool,
      { path: draw.pick(paths), deep: { b: [1, null], a: true } },
      printout(draw, sizes),
      draw,
    )
  },
  failures: (draw: Draw): ToolUse => ({
    tool: draw.pick(['write_file', 'run']),
    input: { path: paths[0], cmd: 'pnpm build' },
    result: draw.pick(errors),
    isError: true,
    hasImage: false,
  }),
  refusals: (draw: Draw): ToolUse => ({
    tool: 'run',
    input: { cmd: 'rm -rf build' },
    result: draw.pick([
      'Denied by the user: do not delete anything',
      'Blocked by policy: no network',
    ]),
    isError: true,
    hasImage: false,
  }),
} as const

function success(tool: string, input: ToolUse['input'], result: string, draw: Draw): ToolUse {
  const isEmpty = draw.chance(3)
  return { tool, input, result: isEmpty ? '' : result, isError: false, hasImage: draw.chance(3) }
}
