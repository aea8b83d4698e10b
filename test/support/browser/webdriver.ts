import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { executableOf } from './engines.ts'

/** WebDriver's own time limits for a script and for loading a page. */
const TIME_LIMIT_MS = 60_000
const START_DEADLINE_MS = 20_000
const POLL_MS = 50

/** The key under which WebDriver wraps a reference to an element (W3C WebDriver, section 12.1). */
const ELEMENT_KEY = 'element-6066-11e4-a52e-4f735466cecf'

/** WebKitWebDriver and, where no display is set, an Xvfb of its own. */
export interface WebKitHost {
  newSession(): Promise<WebDriverSession>
  close(): Promise<void>
}

/** One ephemeral browser: its storage lives in memory and goes with it. */
export interface WebDriverSession {
  /** Sends a command below the session's path, such as `POST /url`. Rejects with the driver's error. */
  command(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<unknown>
  /** Runs a function body in the page; awaits what it returns. */
  run(body: string, values?: readonly unknown[]): Promise<unknown>
  /** The id of the first element that matches. */
  find(selector: string): Promise<string>
  /** Another tab over the same storage. It ends with the session. */
  newTab(): Promise<WebDriverSession>
  close(): Promise<void>
}

/** Starts what a WebKitGTK browser needs. Close it, or its processes outlive the test run. */
export async function startWebKit(): Promise<WebKitHost> {
  const children: ChildProcess[] = []
  try {
    const display = process.env.DISPLAY ?? (await startDisplay(children))
    let address = await startDriver(children, display)
    return {
      async newSession() {
        const session = await startSession(address).catch(() => undefined)
        if (session !== undefined) return session
        // Seen once in some hundred starts on a busy machine: the browser never answers its driver.
        address = await startDriver(children, display)
        return startSession(address)
      },
      close: () => stopAll(children),
    }
  } catch (error) {
    await stopAll(children)
    throw error
  }
}

async function startDisplay(children: ChildProcess[]): Promise<string> {
  // With -displayfd the server picks a free number and writes it once it accepts clients.
  const server = spawn(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  )
  children.push(server)
  // Safe: descriptor 3 was asked for as a pipe above.
  const numbers = server.stdio[3] as Readable
  const number = await Promise.race([firstLine(numbers), failure(server, 'Xvfb')])
  return `:${number}`
}

function firstLine(stream: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes('\n')) resolve(text.trim())
    })
    stream.once('error', reject)
  })
}

function failure(child: ChildProcess, name: string): Promise<never> {
  return new Promise((_, reject) => {
    child.once('error', (error) => reject(new Error(`${name} did not start: ${error.message}`)))
    child.once('exit', (code) => reject(new Error(`${name} ended early with code ${code}`)))
  })
}

async function startDriver(children: ChildProcess[], display: string): Promise<string> {
  const port = await freePort()
  const driver = spawn('WebKitWebDriver', [`--port=${port}`], {
    stdio: 'ignore',
    env: { ...process.env, DISPLAY: display },
  })
  children.push(driver)
  const address = `http://127.0.0.1:${port}`
  await Promise.race([untilAnswering(address), failure(driver, 'WebKitWebDriver')])
  return address
}

async function untilAnswering(address: string): Promise<void> {
  const deadline = Date.now() + START_DEADLINE_MS
  for (;;) {
    try {
      await send(address, 'GET', '/status')
      return
    } catch (error) {
      if (Date.now() > deadline) throw error
      await delay(POLL_MS)
    }
  }
}

async function startSession(address: string): Promise<WebDriverSession> {
  const browserOptions = { binary: executableOf('webkit'), args: ['--automation'] }
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': browserOptions } }
  const created = await send(address, 'POST', '/session', { capabilities }, START_DEADLINE_MS)
  // Safe: the answer to "New Session" holds the id (W3C WebDriver, section 8.1).
  const { sessionId } = created as { sessionId: string }
  const base = `${address}/session/${sessionId}`
  const session = await sessionAt(base)
  await session.command('POST', '/timeouts', { script: TIME_LIMIT_MS, pageLoad: TIME_LIMIT_MS })
  return session
}

/** A session speaks to one tab at a time: what is said to another is preceded by a change of tab. */
interface Tabs {
  readonly base: string
  current: string
  /** The command that was sent last: the next one waits for it, or it would reach the wrong tab. */
  last: Promise<unknown>
}

async function sessionAt(base: string): Promise<WebDriverSession> {
  const current = String(await send(base, 'GET', '/window'))
  return tabOf({ base, current, last: Promise.resolve() }, current)
}

function tabOf(tabs: Tabs, handle: string): WebDriverSession {
  const command: WebDriverSession['command'] = (method, path, body) => {
    const sent = tabs.last.then(async () => {
      await switchTo(tabs, handle)
      return send(tabs.base, method, path, body)
    })
    // A command that failed must not keep the next one from being sent.
    tabs.last = sent.catch(() => undefined)
    return sent
  }
  return {
    command,
    run: (body, values = []) => runScript(command, body, values),
    async find(selector) {
      const found = await command('POST', '/element', { using: 'css selector', value: selector })
      // Safe: "Find Element" answers with one element reference or an error.
      return (found as Record<string, string>)[ELEMENT_KEY] ?? ''
    },
    async newTab() {
      const opened = await command('POST', '/window/new', { type: 'tab' })
      // Safe: "New Window" answers with the handle of what it opened (W3C WebDriver, section 11.5).
      return tabOf(tabs, (opened as { handle: string }).handle)
    },
    async close() {
      await send(tabs.base, 'DELETE', '')
    },
  }
}

async function switchTo(tabs: Tabs, handle: string): Promise<void> {
  if (tabs.current === handle) return
  await send(tabs.base, 'POST', '/window', { handle })
  tabs.current = handle
}

async function runScript(
  command: WebDriverSession['command'],
  body: string,
  values: readonly unknown[],
): Promise<unknown> {
  const script = `
    const finish = arguments[arguments.length - 1];
    const values = Array.from(arguments).slice(0, -1);
    (async () => { ${body} })().then(
      (value) => finish({ value }),
      (error) => finish({ error: String(error) }),
    );`
  const answer = await command('POST', '/execute/async', { script, args: values })
  // Safe: the script above answers with one of these two.
  const { value, error } = answer as { value?: unknown; error?: string }
  if (error !== undefined) throw new Error(`in the page: ${error}`)
  return value
}

async function send(
  base: string,
  method: string,
  path: string,
  body?: object,
  deadlineMs = 2 * TIME_LIMIT_MS,
): Promise<unknown> {
  const response = await fetch(base + path, {
    method,
    headers: { 'content-type': 'application/json' },
    signal: AbortSignal.timeout(deadlineMs),
    ...(method === 'POST' ? { body: JSON.stringify(body ?? {}) } : {}),
  })
  // Safe: every WebDriver answer is an object with `value` (W3C WebDriver, section 6.3).
  const { value } = (await response.json()) as { value: unknown }
  if (response.ok) return value
  // Safe: an error's value carries these two texts.
  const { error, message } = value as { error: string; message: string }
  throw new Error(`${method} ${path}: ${error}: ${message}`)
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = address !== null && typeof address === 'object' ? address.port : 0
      server.close(() => resolve(port))
    })
  })
}

async function stopAll(children: readonly ChildProcess[]): Promise<void> {
  for (const child of [...children].reverse()) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.removeAllListeners('error')
    child.kill()
    await ended
  }
}
