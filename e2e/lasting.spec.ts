import {
  exportOpen,
  importText,
  pathOfConversation,
  sentBytes,
  showConversations,
  transcriptOf,
  waitForMessages,
} from './support/conversations.ts'
import { byTestId, compactedTokens, openDemo, say, sayChip } from './support/demo.ts'
import type { PageDriver } from './support/driver.ts'
import { expect, test } from './support/spec.ts'

/** Stands in the first message of the sample conversation. */
const FACT = 'amber-otter-7731'

const QUESTION = 'What is the deploy key?'

/** Answered one by one, so that the reply streams for some seconds. */
const MANY_QUESTIONS = Array.from(
  { length: 12 },
  (_, index) => `Question ${index + 1}: who decides to turn back, and when at the latest?`,
).join(' ')

async function startNew(tab: PageDriver): Promise<void> {
  await openDemo(tab)
  const before = await pathOfConversation(tab)
  await showConversations(tab)
  await tab.click(byTestId('new-chat'))
  await tab.waitUntil('return location.pathname + location.hash !== values[0]', [before])
  await waitForMessages(tab, 0)
}

test('a conversation goes on after a reload', async ({ tab }) => {
  await startNew(tab)
  await say(tab, 'The vault code is 4471-heron.')
  const before = await transcriptOf(tab)
  await tab.reload()
  await waitForMessages(tab, 2)
  expect(await transcriptOf(tab)).toEqual(before)
  expect(await say(tab, 'What is the vault code?')).toContain('4471-heron')
  await showConversations(tab)
  await tab.waitForText(byTestId('storage'), 'Kept on this device')
})

test('a reply that a reload cut off is there, and the talk goes on', async ({ tab }) => {
  await openDemo(tab)
  const count = (await transcriptOf(tab)).length
  await tab.fill(byTestId('composer'), MANY_QUESTIONS)
  await tab.press(byTestId('composer'), 'Enter')
  // Long enough for a draft to be stored on the way, and not yet at its end.
  const isStreaming = `return document.querySelector(values[0]) !== null &&
    (document.querySelector(values[1])?.innerText.length ?? 0) > 400`
  const arriving = `${byTestId('message')}[data-role="assistant"]:nth-last-child(2) .body`
  await tab.waitUntil(isStreaming, [byTestId('stop'), arriving])
  await tab.reload()
  await tab.waitForText(byTestId('interrupted'), 'Interrupted')
  await waitForMessages(tab, count + 2)
  const texts = await transcriptOf(tab)
  expect(texts.at(-2)).toBe(MANY_QUESTIONS)
  expect(texts.at(-1)).toContain('Wanjiru')

  expect(await say(tab, QUESTION)).toContain(FACT)
  expect((await transcriptOf(tab)).slice(0, -2)).toEqual(texts)
  expect(await tab.count(byTestId('interrupted'))).toBe(0)
  expect(await tab.count(byTestId('error'))).toBe(0)
})

test('two tabs on one conversation show what was said in both, each once', async ({ tab }) => {
  await startNew(tab)
  await say(tab, 'The vault code is 4471-heron.')
  const other = await tab.newTab()
  await other.open(await pathOfConversation(tab))
  await waitForMessages(other, 2)
  expect(await say(other, 'What is the vault code?')).toContain('4471-heron')
  await waitForMessages(tab, 4)
  await say(tab, 'The harbour code is teal-heron-58.')
  await waitForMessages(other, 6)
  const texts = await transcriptOf(tab)
  expect(await transcriptOf(other)).toEqual(texts)
  expect(new Set(texts).size).toBe(6)
})

test('after an undo the next request is what it would have been, byte for byte', async ({
  tab,
}) => {
  await openDemo(tab)
  await sayChip(tab, 'Who decides about turning back?')
  const file = await exportOpen(tab)
  const said = await transcriptOf(tab)

  await importText(tab, file)
  await waitForMessages(tab, said.length)
  await say(tab, QUESTION)
  const untouched = await sentBytes(tab)

  await importText(tab, file)
  await waitForMessages(tab, said.length)
  await say(tab, 'The vault code is 4471-heron.')
  await compactByHand(tab)
  const { before, after } = await compactedTokens(tab)
  expect(after).toBeLessThan(before)
  await tab.click(byTestId('undo'))
  await tab.waitForText(byTestId('redo'), 'Redo')
  await tab.waitUntil(hasFocus, [byTestId('redo')])
  expect(await transcriptOf(tab)).toHaveLength(said.length + 2)
  await say(tab, QUESTION)
  const undone = await sentBytes(tab)

  await importText(tab, file)
  await waitForMessages(tab, said.length)
  await say(tab, 'The vault code is 4471-heron.')
  await say(tab, QUESTION)
  expect(undone).toBe(await sentBytes(tab))
  expect(undone).not.toBe(untouched)
})

/** Whoever undoes by keyboard stays where it can be taken back. */
const hasFocus = 'return document.activeElement?.matches(values[0])'

/** The button lies in a part of the page that is folded on a narrow window. */
async function compactByHand(tab: PageDriver): Promise<void> {
  await tab.evaluate(`document.querySelector(values[0]).closest('details').open = true`, [
    byTestId('compact-now'),
  ])
  await tab.click(byTestId('compact-now'))
}

test('an exported conversation comes back whole after it was deleted', async ({ tab }) => {
  await openDemo(tab)
  await sayChip(tab, 'Paste the meeting notes')
  await sayChip(tab, 'Paste the dry-run log')
  await say(tab, QUESTION)
  const { before } = await compactedTokens(tab)
  const texts = await transcriptOf(tab)
  const file = await exportOpen(tab)

  await showConversations(tab)
  await tab.click(byTestId('delete'))
  await tab.click(byTestId('delete-yes'))
  await waitForMessages(tab, 0)
  expect(await tab.count(byTestId('delete'))).toBe(0)

  await importText(tab, file)
  await waitForMessages(tab, texts.length)
  expect(await transcriptOf(tab)).toEqual(texts)
  expect((await compactedTokens(tab)).before).toBe(before)
})

test('the next request after a reload is the same, byte for byte', async ({ tab }) => {
  await openDemo(tab)
  await sayChip(tab, 'Paste the meeting notes')
  await sayChip(tab, 'Paste the dry-run log')
  const file = await exportOpen(tab)
  const count = (await transcriptOf(tab)).length

  await importText(tab, file)
  await waitForMessages(tab, count)
  await say(tab, QUESTION)
  await say(tab, 'Who is on call?')
  const unbroken = await sentBytes(tab)

  await importText(tab, file)
  await waitForMessages(tab, count)
  await say(tab, QUESTION)
  await tab.reload()
  await waitForMessages(tab, count + 2)
  await say(tab, 'Who is on call?')
  expect(await sentBytes(tab)).toBe(unbroken)
})

test('an edited message begins a branch, and both can be looked at', async ({ tab }) => {
  await startNew(tab)
  await say(tab, 'The vault code is 4471-heron.')
  await tab.click(byTestId('edit'))
  await tab.fill(byTestId('composer'), 'The vault code is 9000-crane.')
  await tab.press(byTestId('composer'), 'Enter')
  await tab.waitForText(byTestId('branch-place'), '2/2')
  await tab.waitForText(byTestId('send'), 'Send')
  expect(await say(tab, 'What is the vault code?')).toContain('9000-crane')

  await tab.click(byTestId('branch-previous'))
  await tab.waitForText(byTestId('branch-place'), '1/2')
  await waitForMessages(tab, 2)
  expect(await say(tab, 'What is the vault code?')).toContain('4471-heron')
})

test('a file that is no export is refused in words', async ({ tab }) => {
  await openDemo(tab)
  await showConversations(tab)
  const file = { name: 'x.json', mimeType: 'application/json', text: '{"nothing": true}' }
  await tab.chooseFile(byTestId('import-file'), file)
  await tab.waitForText(byTestId('error'), 'no exported conversation')
})
