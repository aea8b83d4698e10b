import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startWebKit, type WebDriverSession } from '../../test/support/browser/webdriver.ts'
import {
  type BrowserDriver,
  type ChosenFile,
  FIND_TEXT_BODY,
  type PageDriver,
  patternOf,
  WAIT_DEADLINE_MS,
} from './driver.ts'

const POLL_MS = 100

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
  readonly #baseUrl: string

  constructor(session: WebDriverSession, baseUrl: string) {
    this.#session = session
    this.#baseUrl = baseUrl
  }

  async open(path: string): Promise<void> {
    await this.#session.command('POST', '/url', { url: new URL(path, this.#baseUrl).href })
    await this.evaluate(WATCH_ERRORS_BODY)
  }

  async click(selector: string): Promise<void> {
    await this.#onElement(selector, (path) => this.#session.command('POST', `${path}/click`))
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

  async waitForText(
    selector: string,
    expected: string | RegExp,
    deadlineMs = WAIT_DEADLINE_MS,
  ): Promise<string> {
    const values = [selector, ...patternOf(expected)]
    return retry(deadlineMs, async () => {
      const found = await this.evaluate(FIND_TEXT_BODY, values)
      if (typeof found === 'string') return found
      throw new Error(`no element ${selector} with the text ${expected} within ${deadlineMs} ms`)
    })
  }

  async waitUntil(
    body: string,
    values: readonly unknown[] = [],
    deadlineMs = WAIT_DEADLINE_MS,
  ): Promise<void> {
    await retry(deadlineMs, async () => {
      if (await this.evaluate(body, values)) return
      throw new Error(`not true within ${deadlineMs} ms: ${body}`)
    })
  }

  evaluate(body: string, values: readonly unknown[] = []): Promise<unknown> {
    return this.#session.run(`const values = arguments[0];\n${body}`, [values])
  }

  async screenshot(): Promise<Buffer> {
    return Buffer.from(String(await this.#session.command('GET', '/screenshot')), 'base64')
  }

  async errors(): Promise<readonly string[]> {
    const seen = await this.evaluate('return globalThis.observedErrors ?? []')
    return Array.isArray(seen) ? seen.map(String) : []
  }

  /** Acts on the first element that matches, again while it is not there, hidden or replaced. */
  #onElement(selector: string, act: (path: string) => Promise<unknown>): Promise<unknown> {
    return retry(WAIT_DEADLINE_MS, async () =>
      act(`/element/${await this.#session.find(selector)}`),
    )
  }
}

async function retry<T>(deadlineMs: number, attempt: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + deadlineMs
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (Date.now() > deadline) throw error
      await delay(POLL_MS)
    }
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
