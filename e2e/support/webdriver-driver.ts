import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startWebKit, type WebDriverSession } from '../../test/support/browser/webdriver.ts'
import {
  type BrowserDriver,
  type ChosenFile,
  type PageDriver,
  pollText,
  pollTrue,
  retry,
  WAIT_DEADLINE_MS,
} from './driver.ts'

/** Code points that WebDriver gives to keys without a character (W3C WebDriver, section 17.4.2). */
const namedKeys: Readonly<Record<string, string>> = {
  Enter: '\uE007',
  Tab: '\uE004',
  Escape: '\uE00C',
  Backspace: '\uE003',
  ArrowUp: '\uE013',
  ArrowDown: '\uE015',
}

/** Collects the page's errors where the driver has no event for them. Later loads are not seen. */
const WATCH_ERRORS_BODY = `
  const errors = (globalThis.observedErrors ??= [])
  const write = console.error
  console.error = (...all) => { errors.push(all.map(String).join(' ')); write.apply(console, all) }
  addEventListener('error', ({ message }) => errors.push(String(message)))
  addEventListener('unhandledrejection', ({ reason }) => errors.push(String(reason)))`

/** A tab of WebKitGTK, spoken to by the plain WebDriver protocol. */
class WebDriverPage implements PageDriver {
  readonly #session: WebDriverSession
  readonly #tabs: WebDriverPage[] = []
  readonly #baseUrl: string

  constructor(session: WebDriverSession, baseUrl: string) {
    this.#session = session
    this.#baseUrl = baseUrl
  }

  async open(path: string): Promise<void> {
    await this.#session.command('POST', '/url', { url: new URL(path, this.#baseUrl).href })
    await this.evaluate(WATCH_ERRORS_BODY)
  }

  async reload(): Promise<void> {
    await this.#session.command('POST', '/refresh')
    await this.evaluate(WATCH_ERRORS_BODY)
  }

  async newTab(): Promise<PageDriver> {
    const tab = new WebDriverPage(await this.#session.newTab(), this.#baseUrl)
    this.#tabs.push(tab)
    return tab
  }

  async click(selector: string): Promise<void> {
    await this.#onElement(selector, async (path) => {
      // WebDriver clicks on what is disabled and says nothing; the other driver waits.
      if (!(await this.#session.command('GET', `${path}/enabled`))) {
        throw new Error(`${selector} is disabled`)
      }
      await this.#session.command('POST', `${path}/click`)
    })
  }

  async fill(selector: string, text: string): Promise<void> {
    await this.#onElement(selector, async (path) => {
      await this.#session.command('POST', `${path}/clear`)
      await this.#session.command('POST', `${path}/value`, { text })
    })
  }

  async press(selector: string, key: string): Promise<void> {
    const text = namedKeys[key] ?? key
    await this.#onElement(selector, (path) =>
      this.#session.command('POST', `${path}/value`, { text }),
    )
  }

  async chooseFile(selector: string, file: ChosenFile): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'tamp-e2e-'))
    try {
      const path = join(folder, file.name)
      await writeFile(path, file.text)
      const element = await this.#session.find(selector)
      await this.#session.command('POST', `/element/${element}/value`, { text: path })
      // The page must have read the file before it goes.
      await this.evaluate(`await document.querySelector(values[0]).files[0]?.text()`, [selector])
    } finally {
      await rm(folder, { recursive: true })
    }
  }

  async text(selector: string): Promise<string> {
    return String(
      await this.#onElement(selector, (path) => this.#session.command('GET', `${path}/text`)),
    )
  }

  async count(selector: string): Promise<number> {
    return Number(
      await this.evaluate('return document.querySelectorAll(values[0]).length', [selector]),
    )
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
    return this.#session.run(`const values = arguments[0];\n${body}`, [values])
  }

  async screenshot(): Promise<Buffer> {
    return Buffer.from(String(await this.#session.command('GET', '/screenshot')), 'base64')
  }

  async errors(): Promise<readonly string[]> {
    const seen = await this.evaluate('return globalThis.observedErrors ?? []')
    const own = Array.isArray(seen) ? seen.map(String) : []
    const others = await Promise.all(this.#tabs.map((tab) => tab.errors()))
    return [...own, ...others.flat()]
  }

  /** Acts on the first element that matches, again while it is not there, hidden or replaced. */
  #onElement(selector: string, act: (path: string) => Promise<unknown>): Promise<unknown> {
    return retry(WAIT_DEADLINE_MS, async () =>
      act(`/element/${await this.#session.find(selector)}`),
    )
  }
}

/** WebKitGTK; each tab is a browser session of its own. */
export async function startWebDriver(): Promise<BrowserDriver> {
  const host = await startWebKit()
  return {
    async newPage(baseUrl) {
      const session = await host.newSession()
      return { page: new WebDriverPage(session, baseUrl), close: () => session.close() }
    },
    close: () => host.close(),
  }
}
