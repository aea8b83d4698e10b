import type { Native } from '../native.ts'
import type { Dialect } from './dialect.ts'
import type { Draw } from './draw.ts'
import { misleadingTexts, speech, type TextSizes } from './texts.ts'
import type { ToolUse } from './tool-use.ts'

const imageUrl = `data:image/png;base64,${'iVBORw0KGgoAAAANSUhEUg'.repeat(12)}`

/** Writes conversations as OpenAI chat messages. */
export const openaiDialect: Dialect = {
  ask: (draw, sizes) => [named(draw, { role: 'user', content: asked(draw, sizes) })],
  reply: (draw, sizes) => [{ role: 'assistant', content: replied(draw, sizes), ...extras(draw) }],
  use: (uses, draw, sizes, nextId) => {
    const ids = uses.map(() => nextId('call'))
    const results = uses.map((use, index) => resultOf(use, String(ids[index]), draw))
    // The order among results is free.
    const ordered = draw.chance(10) ? [...results].reverse() : results
    const images = uses.some((use) => use.hasImage)
      ? [{ role: 'user', content: [{ type: 'image_url', image_url: { url: imageUrl } }] }]
      : []
    return [callsOfUses(uses, ids, draw, sizes), ...ordered, ...images]
  },
  open: (uses, draw, sizes, nextId) => [
    callsOfUses(
      uses,
      uses.map(() => nextId('call')),
      draw,
      sizes,
    ),
  ],
  media: (draw, sizes) => [
    { role: 'user', content: [textPart(speech(draw, sizes)), mediaPart(draw)] },
  ],
  system: (draw, sizes) => [
    { role: draw.pick(['system', 'developer']), content: speech(draw, sizes) },
  ],
  hosted: (draw, sizes) => [
    {
      role: 'assistant',
      content: speech(draw, sizes),
      annotations: [{ type: 'url_citation', url: 'x' }],
    },
    { role: 'user', content: speech(draw, sizes) },
  ],
  odd: (draw, sizes) => [
    {
      role: 'user',
      content: [
        { type: 'x_card', title: draw.pick(misleadingTexts), rows: [1, null] },
        textPart(speech(draw, sizes)),
      ],
    },
  ],
  empty: (draw) => [{ role: draw.pick(['user', 'assistant']), content: draw.pick(['', ' \n']) }],
  frame: (draw, sizes, messages) => ({
    model: 'gpt-4o',
    messages: draw.chance(60)
      ? [{ role: 'system', content: speech(draw, sizes) }, ...messages]
      : messages,
  }),
}

function asked(draw: Draw, sizes: TextSizes): unknown {
  const text = speech(draw, sizes)
  if (draw.chance(85)) return text
  return [textPart(text), textPart(speech(draw, sizes))]
}

function replied(draw: Draw, sizes: TextSizes): unknown {
  const text = speech(draw, sizes)
  return draw.chance(8) ? [textPart(text)] : text
}

function named(draw: Draw, message: Native): Native {
  return draw.chance(12) ? { ...message, name: draw.pick(['ann', 'bob']) } : message
}

function extras(draw: Draw): Native {
  if (draw.chance(85)) return {}
  return draw.pick<Native>([
    { refusal: null },
    { reasoning_content: 'First look at the gate.' },
    { metadata: { tab: 3, seen: true } },
    { id: 'chatcmpl-7', created: 1_700_000_000 },
  ])
}

function callsOfUses(
  uses: readonly ToolUse[],
  ids: readonly string[],
  draw: Draw,
  sizes: TextSizes,
): Native {
  const content = draw.chance(40)
    ? { content: speech(draw, sizes) }
    : draw.pick<Native>([{ content: null }, {}, { content: '' }])
  return {
    role: 'assistant',
    ...content,
    ...extras(draw),
    tool_calls: uses.map((use, index) => ({
      id: ids[index],
      type: 'function',
      function: { name: use.tool, arguments: spelled(use.input, draw) },
    })),
  }
}

/** Arguments as models spell them: with and without blanks. */
function spelled(input: Native, draw: Draw): string {
  return draw.chance(30) ? JSON.stringify(input, null, 1) : JSON.stringify(input)
}

function resultOf(use: ToolUse, id: string, draw: Draw): Native {
  const content = draw.chance(5) ? [textPart(use.result || 'ok')] : use.result
  return { role: 'tool', tool_call_id: id, content, ...(draw.chance(10) ? { name: use.tool } : {}) }
}

function textPart(text: string): Native {
  return { type: 'text', text }
}

function mediaPart(draw: Draw): Native {
  return draw.pick<Native>([
    { type: 'image_url', image_url: { url: imageUrl, detail: 'low' } },
    { type: 'image_url', image_url: { url: 'https://example.com/panel-7.png' } },
    { type: 'file', file: { filename: 'plan.pdf', file_data: imageUrl } },
    { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
  ])
}
