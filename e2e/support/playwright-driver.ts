import { type Browser, chromium, firefox, type Page } from '@playwright/test'
import { chromiumLaunch, firefoxLaunch } from '../../test/support/browser/engines.ts'
import {
  type BrowserDriver,
  FIND_TEXT_BODY,
  type PageDriver,
  patternOf,
  WAIT_DEADLINE_MS,
} from './driver.ts'

/** A tab that Playwright drives; `playwrightPage` is for what only Playwright can do. */
export class PlaywrightPage implements PageDriver {
  readonly playwrightPage: Page
  readonly #errors: string[] = []
  readonly #baseUrl: string

  constructor(page: Page, baseUrl: string) {
    this.playwrightPage = page
    this.#baseUrl = baseUrl
    page.setDefaultTimeout(WAIT_DEADLINE_MS)
    page.on('pageerror', (error) => this.#errors.push(String(error)))
    page.on('console', (message) => {
      // Browsers ask for a page's icon unasked; that there is none is no error of the page.
      const isIcon = message.location().url.endsWith('/favicon.ico')
      if (message.type() === 'error' && !isIcon) this.#errors.push(message.text())
    })
  }

  async open(path: string): Promise<void> {
    await this.playwrightPage.goto(new URL(path, this.#baseUrl).href)
  }

  async click(selector: string): Promise<void> {
    await this.playwrightPage.locator(selector).first().click()
  }

  async fill(selector: string, text: string): Promise<void> {
    await this.playwrightPage.locator(selector).first().fill(text)
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

  async waitForText(
    selector: string,
    expected: string | RegExp,
    deadlineMs = WAIT_DEADLINE_MS,
  ): Promise<string> {
    const values = [selector, ...patternOf(expected)]
    const found = await this.#waitFor(FIND_TEXT_BODY, values, deadlineMs)
    // Safe: the body gives back a text or null, and waiting ends only on a text.
    return (await found.jsonValue()) as string
  }

  async waitUntil(
    body: string,
    values: readonly unknown[] = [],
    deadlineMs = WAIT_DEADLINE_MS,
  ): Promise<void> {
    await this.#waitFor(body, values, deadlineMs)
  }

  #waitFor(body: string, values: readonly unknown[], deadlineMs: number) {
    // Not asynchronous: Playwright would take the promise itself for the awaited result.
    const script = `((values) => { ${body} })(${JSON.stringify(values)})`
    const options = { timeout: deadlineMs, polling: 100 }
    return this.playwrightPage.waitForFunction(script, undefined, options)
  }

  evaluate(body: string, values: readonly unknown[] = []): Promise<unknown> {
    return this.playwrightPage.evaluate(asyncFunction(body, values))
  }

  screenshot(): Promise<Buffer> {
    return this.playwrightPage.screenshot()
  }

  async errors(): Promise<readonly string[]> {
    return this.#errors
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
