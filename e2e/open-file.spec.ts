import { byTestId, clickForAnswer, compactedTokens, openDemo, say } from './support/demo.ts'
import { expect, test } from './support/spec.ts'

const filler = 'The crew checked every lamp along the quay and wrote down what was missing. '

function openaiFile(): string {
  const messages: object[] = [{ role: 'user', content: 'The harbour code is teal-heron-58.' }]
  for (let day = 1; day <= 30; day += 1) {
    messages.push({ role: 'assistant', content: `Report ${day}. ${filler.repeat(18)}` })
    messages.push({ role: 'user', content: `Noted, report ${day}. And the next one?` })
  }
  return JSON.stringify(messages)
}

function anthropicFile(): string {
  const messages: object[] = []
  for (let day = 1; day <= 30; day += 1) {
    const id = `toolu_${day}`
    messages.push(
      { role: 'user', content: [{ type: 'text', text: `Read report ${day}.` }] },
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'read', input: { day } }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: id, content: filler.repeat(18) }],
      },
      { role: 'assistant', content: [{ type: 'text', text: `Report ${day} is read.` }] },
    )
  }
  messages.push({ role: 'user', content: [{ type: 'text', text: 'Which one is open?' }] })
  return JSON.stringify({ system: 'You keep the reports.', messages })
}

const file = (name: string, text: string) => ({ name, mimeType: 'application/json', text })

test('a file in the format of OpenAI is opened and the chat goes on past the window', async ({
  tab,
}) => {
  await openDemo(tab)
  await tab.chooseFile(byTestId('open-file'), file('reports.json', openaiFile()))
  await tab.waitForText('h1', 'reports.json')
  // The file ends with a message of the person.
  expect(await clickForAnswer(tab, byTestId('answer'))).not.toBe('')
  expect(await tab.count(byTestId('answer'))).toBe(0)
  expect(await say(tab, 'What is the harbour code?')).toContain('teal-heron-58')
  const { before, after } = await compactedTokens(tab)
  expect(after).toBeLessThan(before)

  // It became a conversation like any other.
  await tab.reload()
  await tab.waitForText('h1', 'reports.json')
  expect(await say(tab, 'What is the harbour code?')).toContain('teal-heron-58')
})

test('a file in the format of Anthropic is opened and fitted', async ({ tab }) => {
  await openDemo(tab)
  await tab.chooseFile(byTestId('open-file'), file('tools.json', anthropicFile()))
  await tab.waitForText('h1', 'tools.json')
  await tab.fill(byTestId('fit-limit'), '4000')
  await tab.click(byTestId('fit'))
  const { before, after } = await compactedTokens(tab)
  expect(before).toBeGreaterThan(4_000)
  expect(after).toBeLessThanOrEqual(4_000)
})

test('a file that holds no conversation is refused in words', async ({ tab }) => {
  await openDemo(tab)
  await tab.chooseFile(byTestId('open-file'), file('broken.json', '{"messages": 3}'))
  await tab.waitForText(byTestId('error'), 'no message array')
})
