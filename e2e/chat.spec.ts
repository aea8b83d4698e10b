import { byTestId, compactedTokens, openDemo, say, sayChip } from './support/demo.ts'
import { expect, test } from './support/spec.ts'

/** The demo's window of 8,192 tokens less an eighth for the answer. */
const LIMIT_TOKENS = 7_168

/** Stands in the first message of the sample conversation, and nowhere else that a person wrote. */
const FACT = 'amber-otter-7731'

/** Takes the sample conversation, which fills half of the window, past it. */
async function passTheWindow(tab: Parameters<typeof openDemo>[0]): Promise<void> {
  await openDemo(tab)
  await sayChip(tab, 'Paste the meeting notes')
  await sayChip(tab, 'Paste the dry-run log')
}

test('a chat past the window is compacted and keeps a fact of its first message', async ({
  tab,
}) => {
  await passTheWindow(tab)
  const answer = await say(tab, 'What is the deploy key?')
  expect(answer).toContain(FACT)

  const { before, after } = await compactedTokens(tab)
  expect(before).toBeGreaterThan(LIMIT_TOKENS)
  expect(after).toBeLessThanOrEqual(LIMIT_TOKENS)
  expect(await tab.count(byTestId('error'))).toBe(0)
})

test('the visible transcript stays whole, and what was sent can be seen', async ({ tab }) => {
  await passTheWindow(tab)
  await say(tab, 'What is the deploy key?')
  const firstMessage = `return document.querySelector(values[0]).textContent`
  expect(await tab.evaluate(firstMessage, [byTestId('message')])).toContain(FACT)

  await tab.click(byTestId('inspector-open'))
  const sent = await tab.count(`${byTestId('inspector-sent')} li`)
  const history = await tab.count(`${byTestId('inspector-history')} li`)
  expect(sent).toBeGreaterThan(0)
  expect(sent).toBeLessThan(history)
})

test('a killed worker is noticed and the chat goes on', async ({ tab }) => {
  await openDemo(tab)
  // One that is killed before it says that it is there is only missed at its deadline.
  await tab.evaluate('await tampDemo.tamp.ready')
  await tab.evaluate('tampDemo.killWorker()')
  const answer = await say(tab, 'What is the deploy key?')
  expect(answer).toContain(FACT)
  await tab.waitForText(byTestId('notice'), 'started again')
  // The new worker does the work: the next requests need it.
  await sayChip(tab, 'Paste the meeting notes')
  await sayChip(tab, 'Paste the dry-run log')
  expect(await say(tab, 'What is the deploy key?')).toContain(FACT)
  const { before, after } = await compactedTokens(tab)
  expect(after).toBeLessThan(before)
  expect(await tab.count(byTestId('error'))).toBe(0)
})

test('an answer is asked for with the keyboard alone', async ({ tab }) => {
  await openDemo(tab)
  expect(await say(tab, 'What is the deploy key?')).toContain(FACT)
})
