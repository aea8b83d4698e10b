import { type Browser, chromium, firefox, type Page } from '@playwright/test'
import { chromiumLaunch, firefoxLaunch } from '../../test/support/browser/engines.ts'
import {
  type BrowserDriver,
  type PageDriver,
  pollText,
  pollTrue,
  WAIT_DEADLINE_MS,
} from './driver.ts'

/** A tab that Playwright drives; `playwrightPage` is for what only Playwright can do. */
export class PlaywrightPage implements PageDriver {
  readonly playwrightPage: Page
  readonly #errors: string[] = []
  readonly #tabs: PlaywrightPage[] = []
  #pictureWasTaken = false
  readonly #baseUrl: string

  constructor(page: Page, baseUrl: string) {
    this.playwrightPage = page
    this.#baseUrl = baseUrl
    page.setDefaultTimeout(WAIT_DEADLINE_MS)
    page.on('pageerror', (error) => this.#note(String(error)))
    page.on('console', (message) => {
      // Browsers ask for a page's icon unasked; that there is none is no error of the page.
      const isIcon = message.location().url.endsWith('/favicon.ico')
      if (message.type() === 'error' && !isIcon) this.#note(message.text())
    })
  }

  #note(error: string): void {
    // For a picture Playwright adds an inline style, which a page's policy may forbid.
    if (this.#pictureWasTaken && error.includes('style-src')) return
    this.#errors.push(error)
  }

  async open(path: string): Promise<void> {
    await this.playwrightPage.goto(new URL(path, this.#baseUrl).href)
  }

  async reload(): Promise<void> {
    await this.playwrightPage.reload()
  }

  async newTab(): Promise<PageDriver> {
    const tab = new PlaywrightPage(await this.playwrightPage.context().newPage(), this.#baseUrl)
    this.#tabs.push(tab)
    return tab
  }

  async click(selector: string): Promise<void> {
    await this.playwrightPage.locator(selector).first().click()
  }

  async fill(selector: string, text: string): Promise<void> {
    const field = this.playwrightPage.locator(selector).first()
    // In Firefox `fill` alone adds to what stands in a field for numbers.
    await field.press('ControlOrMeta+a')
    await field.press('Delete')
    await field.fill(text)
  }

  async press(selector: string, key: string): Promise<void> {
    await this.playwrightPage.locator(selector).first().press(key)
  }

  async chooseFile(
    selector: string,
    file: { name: string; mimeType: string; text: string },
  ): Promise<void> {
    const { name, mimeType, text } = file
    const input = this.playwrightPage.locator(selector).first()
    await input.setInputFiles({ name, mimeType, buffer: Buffer.from(text) })
  }

  text(selector: string): Promise<string> {
    return this.playwrightPage.locator(selector).first().innerText()
  }

  count(selector: string): Promise<number> {
    return this.playwrightPage.locator(selector).count()
  }

  waitForText(
    selector: string,
    expected: string | RegExp,
    deadlineMs = WAIT_DEADLINE_MS,
  ): Promise<string> {
    return pollText(this, selector, expected, deadlineMs)
  }

  waitUntil(
    body: string,
    values: readonly unknown[] = [],
    deadlineMs = WAIT_DEADLINE_MS,
  ): Promise<void> {
    return pollTrue(this, body, values, deadlineMs)
  }

  evaluate(body: string, values: readonly unknown[] = []): Promise<unknown> {
    return this.playwrightPage.evaluate(asyncFunction(body, values))
  }

  screenshot(): Promise<Buffer> {
    this.#pictureWasTaken = true
    return this.playwrightPage.screenshot()
  }

  async errors(): Promise<readonly string[]> {
    const others = await Promise.all(this.#tabs.map((tab) => tab.errors()))
    return [...this.#errors, ...others.flat()]
  }
}

function asyncFunction(body: string, values: readonly unknown[]): string {
  return `(async (values) => { ${body} })(${JSON.stringify(values)})`
}

/** Chromium or Firefox, one process for many tabs. */
export async function startPlaywright(name: 'chromium' | 'firefox'): Promise<BrowserDriver> {
  const browser: Browser =
    name === 'chromium'
      ? await chromium.launch(chromiumLaunch())
      : await firefox.launch(firefoxLaunch())
  return {
    async newPage(baseUrl) {
      const context = await browser.newContext()
      const page = new PlaywrightPage(await context.newPage(), baseUrl)
      return { page, close: () => context.close() }
    },
    close: () => browser.close(),
  }
}
