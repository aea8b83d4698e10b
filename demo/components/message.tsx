import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { AnsweredFrom } from '../chat/state.ts'
import { renderMarkdown } from '../view/markdown.ts'
import { formatNumber } from '../view/numbers.ts'
import type { Block, Row } from '../view/transcript.ts'
import { ToolCall, ToolResult } from './tool-call.tsx'

const speakers: Readonly<Record<string, string>> = {
  user: 'You',
  assistant: 'Model',
  system: 'System',
  developer: 'System',
  tool: 'Tool',
}

/** One message of the transcript. */
export function Message({
  row,
  answeredFrom,
  isInterrupted = false,
  children,
}: {
  row: Row
  answeredFrom: AnsweredFrom | undefined
  isInterrupted?: boolean
  /** What can be done with it. */
  children?: ComponentChildren
}) {
  return (
    <article class={`message message-${row.role}`} data-testid="message" data-role={row.role}>
      <h2 class="speaker">{speakers[row.role] ?? row.role}</h2>
      <div class="body" dir="auto">
        {row.blocks.map((block, index) => (
          <BlockView key={index} block={block} role={row.role} />
        ))}
      </div>
      {answeredFrom !== undefined && (
        <p class="answered-from">
          {`Answered from ${formatNumber(answeredFrom.tokensAfter)} tokens instead of ${formatNumber(answeredFrom.tokensBefore)}`}
        </p>
      )}
      {isInterrupted && (
        <p class="interrupted" data-testid="interrupted">
          Interrupted: this is what came through.
        </p>
      )}
      {children}
    </article>
  )
}

function BlockView({ block, role }: { block: Block; role: string }) {
  switch (block.type) {
    case 'text':
      return role === 'assistant' ? (
        <Markdown text={block.text} />
      ) : (
        <p class="plain">{block.text}</p>
      )
    case 'call':
      return <ToolCall call={block} />
    case 'result':
      return <ToolResult title="Result without a call" text={block.text} />
    case 'reasoning':
      return <ToolResult title="Reasoning" text={block.text} />
    case 'media':
      return <p class="media">{`[${block.label}]`}</p>
    case 'other':
      return <ToolResult title={block.kind} text={block.text} />
    default:
      return block satisfies never
  }
}

function Markdown({ text }: { text: string }) {
  const html = useMemo(() => renderMarkdown(text), [text])
  // The one place where HTML is set; renderMarkdown has sanitised it.
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} />
}
