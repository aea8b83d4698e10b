import type { Summarizer } from '../../../src/index.ts'
import type { Draw } from '../generate/draw.ts'

/** What the app's own code throws: no failure of a provider. */
export class AppBug extends Error {}

const moods = [
  ...['good', 'good', 'good', 'good', 'slow', 'busy', 'blank', 'long', 'cut', 'bug'],
] as const

/** A summarizer by script: mostly good, at times slow, busy, blank, too long, cut off or broken. */
export class ScriptedSummarizer {
  calls = 0
  /** While set, it is called as soon as the summarizer is asked, which then waits for its abort. */
  whenHeld: (() => void) | undefined
  private readonly draw: Draw

  constructor(draw: Draw) {
    this.draw = draw
  }

  readonly summarize: Summarizer = async ({ prompt, maxTokens }, { signal }) => {
    this.calls++
    if (this.whenHeld) return this.hold(this.whenHeld, signal)
    const text = firstWords(prompt).slice(0, 2 * maxTokens)
    switch (this.draw.pick(moods)) {
      case 'busy':
        throw Object.assign(new Error('overloaded'), { status: 529 })
      case 'bug':
        throw new AppBug('a bug of the app')
      case 'blank':
        return ' \n'
      case 'long':
        return prompt.repeat(2)
      case 'cut':
        return { text, finish: 'length' }
      case 'slow':
        await new Promise((resolve) => setImmediate(resolve))
        return text
      default:
        return text
    }
  }

  private hold(tell: () => void, signal: AbortSignal): Promise<string> {
    tell()
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  }
}

function firstWords(prompt: string): string {
  const lines = prompt.split('\n').filter((line) => line.startsWith('['))
  return `## Task\n${lines.map((line) => line.split(' ').slice(0, 6).join(' ')).join('\n')}`
}
