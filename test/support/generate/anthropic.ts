import { isRecord, type Native } from '../native.ts'
import type { Dialect } from './dialect.ts'
import { type Draw, drawFrom } from './draw.ts'
import { misleadingTexts, speech, type TextSizes } from './texts.ts'
import type { ToolUse } from './tool-use.ts'

const png = 'iVBORw0KGgoAAAANSUhEUg'.repeat(12)
const image: Native = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: png },
}

/** Writes conversations as Anthropic messages, with or without thinking in every assistant message. */
export function anthropicDialect(thinks: boolean): Dialect {
  const assistant = (draw: Draw, blocks: readonly Native[]): Native => {
    // A compaction block stands at the start of its response.
    const mayThink = blocks[0]?.type !== 'compaction'
    const thoughts = mayThink && (thinks || draw.chance(12)) ? [thought(draw)] : []
    return { role: 'assistant', content: [...thoughts, ...blocks] }
  }
  const calls = (
    uses: readonly ToolUse[],
    ids: readonly string[],
    draw: Draw,
    sizes: TextSizes,
  ): Native => {
    const text = draw.chance(40) ? [textBlock(speech(draw, sizes))] : []
    return assistant(draw, [
      ...text,
      ...uses.map((use, index) => callBlock(use, String(ids[index]))),
    ])
  }
  return {
    ask: (draw, sizes) => [{ role: 'user', content: asked(draw, sizes) }],
    reply: (draw, sizes) => {
      const isString = !thinks && draw.chance(20)
      // A reply may end the request, and a final one must not end in white space.
      const text = speech(draw, sizes).trimEnd()
      return [isString ? { role: 'assistant', content: text } : assistant(draw, [textBlock(text)])]
    },
    use: (uses, draw, sizes, nextId) => {
      const ids = uses.map(() => nextId('toolu'))
      const results = uses.map((use, index) => resultBlock(use, String(ids[index]), draw))
      return [calls(uses, ids, draw, sizes), ...resultMessages(results, draw, sizes)]
    },
    open: (uses, draw, sizes, nextId) => [
      calls(
        uses,
        uses.map(() => nextId('toolu')),
        draw,
        sizes,
      ),
    ],
    media: (draw, sizes) => [
      { role: 'user', content: [textBlock(speech(draw, sizes)), mediaBlock(draw)] },
    ],
    system: (draw, sizes) => [
      { role: 'user', content: speech(draw, sizes) },
      { role: 'system', content: [textBlock(speech(draw, sizes))] },
    ],
    hosted: (draw, sizes, nextId) => [
      assistant(draw, hostedBlocks(draw, sizes, nextId('srvtoolu'))),
      { role: 'user', content: speech(draw, sizes) },
    ],
    odd: (draw, sizes) => [
      {
        role: 'user',
        content: [
          textBlock(speech(draw, sizes)),
          { type: 'x_card', title: draw.pick(misleadingTexts), rows: [1, null] },
        ],
      },
    ],
    empty: (draw, sizes, nextId) => {
      const id = nextId('toolu')
      const use = { tool: 'run', input: {}, result: '', isError: false, hasImage: false }
      const content = draw.pick<Native>([{ content: '' }, { content: [] }, {}])
      return [
        calls([use], [id], draw, sizes),
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, ...content }] },
      ]
    },
    frame: (draw, sizes, messages) => ({
      model: 'claude-sonnet-4-5',
      max_tokens: 4096,
      ...(thinks ? { thinking: { type: 'enabled', budget_tokens: 2048 } } : {}),
      ...(draw.chance(60) ? { system: systemText(draw, sizes) } : {}),
      messages: marked(messages, draw),
    }),
  }
}

function asked(draw: Draw, sizes: TextSizes): unknown {
  const text = speech(draw, sizes)
  if (draw.chance(30)) return text
  return draw.chance(15) ? [textBlock(text), textBlock(speech(draw, sizes))] : [textBlock(text)]
}

function systemText(draw: Draw, sizes: TextSizes): unknown {
  const text = speech(draw, sizes)
  return draw.chance(50) ? text : [textBlock(text)]
}

function thought(draw: Draw): Native {
  if (draw.chance(12)) return { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix' }
  const thinking = draw.chance(10) ? '' : `I should look at gate ${draw.below(99)} first.`
  return { type: 'thinking', thinking, signature: `Eo${draw.below(2 ** 31).toString(36)}==` }
}

function callBlock(use: ToolUse, id: string): Native {
  return { type: 'tool_use', id, name: use.tool, input: use.input }
}

function resultBlock(use: ToolUse, id: string, draw: Draw): Native {
  // A string may be blank, a text block may not.
  const isList = use.result.trim() !== '' && (use.hasImage || draw.chance(15))
  const content = isList ? [textBlock(use.result), ...(use.hasImage ? [image] : [])] : use.result
  const flag = use.isError ? { is_error: true } : draw.chance(40) ? { is_error: false } : {}
  return { type: 'tool_result', tool_use_id: id, content, ...flag }
}

/** Results in one message, or in two that the provider merges; a person's words may follow them. */
function resultMessages(results: readonly Native[], draw: Draw, sizes: TextSizes): Native[] {
  const text = draw.chance(10) ? [textBlock(speech(draw, sizes))] : []
  if (results.length > 1 && draw.chance(15)) {
    return [
      { role: 'user', content: results.slice(0, 1) },
      { role: 'user', content: [...results.slice(1), ...text] },
    ]
  }
  return [{ role: 'user', content: [...results, ...text] }]
}

function hostedBlocks(draw: Draw, sizes: TextSizes, id: string): Native[] {
  const found = [
    {
      type: 'web_search_result',
      title: 'Gates',
      url: 'https://example.com',
      encrypted_content: 'Ev8=',
    },
  ]
  const pairs: readonly (readonly Native[])[] = [
    [
      { type: 'server_tool_use', id, name: 'web_search', input: { query: 'gates' } },
      { type: 'web_search_tool_result', tool_use_id: id, content: found },
    ],
    [
      { type: 'mcp_tool_use', id, name: 'echo', server_name: 'mcp', input: {} },
      { type: 'mcp_tool_result', tool_use_id: id, is_error: false, content: [textBlock('ok')] },
    ],
    [{ type: 'compaction', content: speech(draw, sizes) }],
  ]
  return [...draw.pick(pairs), textBlock(speech(draw, sizes))]
}

function mediaBlock(draw: Draw): Native {
  return draw.pick<Native>([
    image,
    { type: 'image', source: { type: 'url', url: 'https://example.com/panel-7.png' } },
    {
      type: 'document',
      title: 'plan.pdf',
      source: { type: 'base64', media_type: 'application/pdf', data: png },
    },
    {
      type: 'search_result',
      source: 'https://example.com',
      title: 'x',
      content: [textBlock('found')],
    },
  ])
}

function textBlock(text: string): Native {
  return { type: 'text', text }
}

/** Up to four cache marks on blocks that may carry one. */
function marked(messages: readonly Native[], draw: Draw): readonly Native[] {
  let left = draw.chance(30) ? draw.below(5) : 0
  const chosen = drawFrom(1 + draw.below(2 ** 31))
  return messages.map((message) => {
    if (left === 0 || !Array.isArray(message.content) || !chosen.chance(40)) return message
    const last = message.content.at(-1)
    if (!isRecord(last) || !mayBeMarked(last)) return message
    left -= 1
    const block = { ...last, cache_control: { type: 'ephemeral' } }
    return { ...message, content: [...message.content.slice(0, -1), block] }
  })
}

function mayBeMarked(block: Native): boolean {
  return block.type === 'text' || block.type === 'tool_result' || block.type === 'image'
}
