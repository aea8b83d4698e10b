import { AxeBuilder } from '@axe-core/playwright'
import { byTestId, openDemo, say, sayChip } from './support/demo.ts'
import type { PageDriver } from './support/driver.ts'
import { PlaywrightPage } from './support/playwright-driver.ts'
import { expect, test } from './support/spec.ts'

/** What axe finds that keeps people out, as short lines. */
async function seriousViolations(tab: PageDriver): Promise<string[]> {
  if (!(tab instanceof PlaywrightPage)) throw new TypeError('axe needs a page of Playwright')
  const { violations, passes } = await new AxeBuilder({ page: tab.playwrightPage }).analyze()
  // A check of a page that did not load would find nothing either.
  expect(passes.length).toBeGreaterThan(10)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

test('the page has no serious violation before, after and beside a compaction', async ({ tab }) => {
  await openDemo(tab)
  expect(await seriousViolations(tab)).toEqual([])

  await sayChip(tab, 'Paste the meeting notes')
  await sayChip(tab, 'Paste the dry-run log')
  await say(tab, 'What is the deploy key?')
  await tab.waitForText(byTestId('divider'), '→')
  expect(await seriousViolations(tab)).toEqual([])

  await say(tab, 'Who decides to turn back?')
  // The newest reply: a branch from an earlier one would leave the compaction behind.
  await tab.evaluate(`[...document.querySelectorAll(values[0])].at(-1).click()`, [
    byTestId('regenerate'),
  ])
  await tab.waitForText(byTestId('branch-place'), '/2')
  await tab.waitForText(byTestId('send'), 'Send')
  await tab.click(byTestId('undo'))
  await tab.waitForText(byTestId('redo'), 'Redo')
  await tab.click(byTestId('edit'))
  await tab.click(byTestId('delete'))
  expect(await seriousViolations(tab)).toEqual([])

  await tab.click(byTestId('inspector-open'))
  expect(await seriousViolations(tab)).toEqual([])
})
