import { setTimeout as delay } from 'node:timers/promises'

/**
 * One browser tab, in words that every engine's driver can say. Specs speak only to this, so that
 * one text runs in Chromium, Firefox and WebKitGTK.
 *
 * Every method waits until what it needs is there, and rejects after {@link WAIT_DEADLINE_MS}.
 */
export interface PageDriver {
  /** Opens a path of the built demo, such as `/`. */
  open(path: string): Promise<void>
  /** Loads the page anew, as a person does. */
  reload(): Promise<void>
  /** Starts another tab over the same storage. Its errors count as errors of this one; it is closed with it. */
  newTab(): Promise<PageDriver>
  click(selector: string): Promise<void>
  /** Puts a text into a field in the place of what stood there. */
  fill(selector: string, text: string): Promise<void>
  /** Presses a key by its name (`Enter`, `Tab`, `Escape`) or types one character. */
  press(selector: string, key: string): Promise<void>
  /** Hands a file to an `<input type="file">`. */
  chooseFile(selector: string, file: ChosenFile): Promise<void>
  /** The visible text of the first element that matches. */
  text(selector: string): Promise<string>
  /** How many elements match now. */
  count(selector: string): Promise<number>
  /** Waits until some element that matches has the text; gives back the text of the first that has. */
  waitForText(selector: string, expected: string | RegExp, deadlineMs?: number): Promise<string>
  /** Waits until the body of a function, run in the page, gives back something true. */
  waitUntil(body: string, values?: readonly unknown[], deadlineMs?: number): Promise<void>
  /** Runs the body of an async function in the page; `values` holds what is handed in. */
  evaluate(body: string, values?: readonly unknown[]): Promise<unknown>
  /** A picture of what is visible, as PNG. */
  screenshot(): Promise<Buffer>
  /** Errors of the page since it was opened: on the console, uncaught and rejected. */
  errors(): Promise<readonly string[]>
}

/** A file that exists only for the test. */
export interface ChosenFile {
  readonly name: string
  readonly mimeType: string
  readonly text: string
}

/** Starts tabs; each with storage of its own. */
export interface BrowserDriver {
  /** `baseUrl` is the address of the built demo. */
  newPage(baseUrl: string): Promise<{ readonly page: PageDriver; close(): Promise<void> }>
  close(): Promise<void>
}

/** How long a step may wait for the page. The slowest is a compaction in Firefox on a busy machine. */
export const WAIT_DEADLINE_MS = 30_000

const POLL_MS = 100

/**
 * Repeats an attempt until it does not reject; rejects with its last error when the time is over.
 *
 * Playwright's own waiting would not do: it evaluates in the page, which a content security policy
 * forbids.
 */
export async function retry<T>(deadlineMs: number, attempt: () => Promise<T>): Promise<T> {
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

/** Waits by asking the page again and again; what both drivers share. */
export async function pollText(
  page: Pick<PageDriver, 'evaluate'>,
  selector: string,
  expected: string | RegExp,
  deadlineMs: number,
): Promise<string> {
  const values = [selector, ...patternOf(expected)]
  return retry(deadlineMs, async () => {
    const found = await page.evaluate(FIND_TEXT_BODY, values)
    if (typeof found === 'string') return found
    throw new Error(`no element ${selector} with the text ${expected} within ${deadlineMs} ms`)
  })
}

/** Waits until a body gives back something true; what both drivers share. */
export async function pollTrue(
  page: Pick<PageDriver, 'evaluate'>,
  body: string,
  values: readonly unknown[],
  deadlineMs: number,
): Promise<void> {
  await retry(deadlineMs, async () => {
    if (await page.evaluate(body, values)) return
    throw new Error(`not true within ${deadlineMs} ms: ${body}`)
  })
}

/** Looks for the first element whose text fits. */
const FIND_TEXT_BODY = `
  const [selector, source, flags] = values
  const pattern = new RegExp(source, flags)
  const texts = [...document.querySelectorAll(selector)].map((element) => element.innerText)
  return texts.find((text) => pattern.test(text)) ?? null`

/** A text as the source and flags of a regular expression that finds it. */
function patternOf(expected: string | RegExp): readonly [source: string, flags: string] {
  if (expected instanceof RegExp) return [expected.source, expected.flags]
  return [expected.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), '']
}
