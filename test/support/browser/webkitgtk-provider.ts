import { defineBrowserProvider } from '@vitest/browser'
import type { BrowserProvider } from 'vitest/node'
import { startWebKit, type WebDriverSession, type WebKitHost } from './webdriver.ts'

/** Lets Vitest's browser mode drive WebKitGTK, which neither of its own providers can. */
class WebKitGtkProvider implements BrowserProvider {
  readonly name = 'webkitgtk'
  readonly supportsParallelism = false
  #host: WebKitHost | undefined
  #session: WebDriverSession | undefined

  getCommandsContext(): Record<string, unknown> {
    return {}
  }

  async openPage(_sessionId: string, url: string): Promise<void> {
    this.#host ??= await startWebKit()
    this.#session ??= await this.#host.newSession()
    await this.#session.command('POST', '/url', { url })
  }

  async close(): Promise<void> {
    try {
      await this.#session?.close()
    } finally {
      await this.#host?.close()
    }
  }
}

/** The provider for an instance with `browser: 'webkit'` and `headless: false` (Xvfb is the screen). */
export function webkitgtk() {
  return defineBrowserProvider({
    name: 'webkitgtk',
    supportedBrowser: ['webkit'],
    options: {},
    providerFactory: () => new WebKitGtkProvider(),
  })
}
