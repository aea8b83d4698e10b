import { formatCount } from '../view/numbers.ts'
import type { Block } from '../view/transcript.ts'
import { ScrollText } from './scroll-text.tsx'

/** A call with its result, folded: results are long. */
export function ToolCall({ call }: { call: Extract<Block, { type: 'call' }> }) {
  const { tool, input, result, isError } = call
  return (
    <details class={isError ? 'fold is-error' : 'fold'} data-testid="tool-call">
      <summary>
        <code>{tool}</code> <span class="fold-input">{shortInput(input)}</span>
        <span class="fold-size">{sizeOf(result, isError)}</span>
      </summary>
      <ScrollText text={input} />
      {result !== undefined && <ScrollText text={result} />}
    </details>
  )
}

/** A text that is not part of the talk itself, folded. */
export function ToolResult({ title, text }: { title: string; text: string }) {
  return (
    <details class="fold">
      <summary>
        {title} <span class="fold-size">{formatCount(text.split('\n').length, 'line')}</span>
      </summary>
      <ScrollText text={text} />
    </details>
  )
}

function sizeOf(result: string | undefined, isError: boolean): string {
  if (result === undefined) return 'no result'
  return isError ? 'failed' : formatCount(result.split('\n').length, 'line')
}

function shortInput(input: string): string {
  return input === '{}' ? '' : input.length > 60 ? `${input.slice(0, 60)}…` : input
}
