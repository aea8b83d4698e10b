import { expect, test } from 'vitest'
import { migrationSample } from '../../demo/samples/migration.ts'
import { suggestionsFor } from '../../demo/samples/suggestions.ts'
import type { ChatMessage } from '../../demo/simulator/protocol.ts'
import { localEngine } from '../../src/entries/local.ts'
import { CHECKPOINT_END, CHECKPOINT_START, createTamp } from '../../src/index.ts'
import { reply, user } from './chat-request.ts'

const sample = migrationSample()
const messages = sample.messages as readonly ChatMessage[] // the sample is of the simulator's own format
const questions = suggestionsFor(sample, sample.messages, 'sim-chat').filter(({ text }) =>
  text.endsWith('?'),
)
const marks = {
  summaryMarks: { start: CHECKPOINT_START, end: CHECKPOINT_END },
  windowTokens: 100_000,
}

const answers: Readonly<Record<string, string>> = {
  'What is the deploy key?': 'amber-otter-7731',
  'Who decides about turning back?': 'Wanjiru',
}

test.each(questions.map(({ label, text }) => [label, text]))(
  'the simulator answers "%s" from the sample',
  async (label, text) => {
    const wanted = answers[label]
    expect(wanted).toBeDefined()
    const { content } = await reply([...messages, user(text)], {}, marks)
    expect(content).toContain(wanted)
  },
)

test('the simulator answers from the first message of the sample after a tight compaction', async () => {
  const text = 'What is the deploy key?'
  const tamp = createTamp({ engine: localEngine() })
  const request = { model: 'sim-chat', messages: [...messages, user(text)] }
  const fitted = await tamp.fit(request, { limitTokens: 1500, format: 'openai-chat' })
  expect(fitted.report.outcome).toBe('compacted')
  const { content } = await reply(fitted.request.messages, {}, marks)
  expect(content).toContain(answers[text])
})
