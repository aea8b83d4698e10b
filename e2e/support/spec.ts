import { test as base, expect } from '@playwright/test'
import type { BrowserDriver, PageDriver } from './driver.ts'
import { startPlaywright } from './playwright-driver.ts'
import { baseUrl } from './server.ts'
import { startWebDriver } from './webdriver-driver.ts'

function startEngine(name: string): Promise<BrowserDriver> {
  switch (name) {
    case 'chromium':
    case 'firefox':
      return startPlaywright(name)
    case 'webkit':
      return startWebDriver()
    default:
      throw new RangeError(`no engine is called ${name}`)
  }
}

/**
 * Playwright's `test` with one fixture, `tab`: a fresh tab of the project's engine. A test fails if
 * the page had an error, even where every expectation held.
 */
export const test = base.extend<{ tab: PageDriver }, { engine: BrowserDriver }>({
  engine: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures from the pattern.
    async ({}, use, workerInfo) => {
      const engine = await startEngine(workerInfo.project.name)
      await use(engine)
      await engine.close()
    },
    { scope: 'worker' },
  ],
  tab: async ({ engine }, use, testInfo) => {
    const { page, close } = await engine.newPage(baseUrl())
    await use(page)
    if (testInfo.status !== testInfo.expectedStatus) {
      await testInfo.attach('screenshot', {
        body: await page.screenshot(),
        contentType: 'image/png',
      })
    }
    const errors = await page.errors()
    await close()
    expect(errors, 'errors of the page').toEqual([])
  },
})

export { expect }
