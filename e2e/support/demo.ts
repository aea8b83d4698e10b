import type { PageDriver } from './driver.ts'

/** A selector of what the demo marks for tests. */
export function byTestId(id: string): string {
  return `[data-testid="${id}"]`
}

const replies = `${byTestId('message')}[data-role="assistant"]`

/** How long an answer may take: compaction and streaming, on a machine that runs other tests too. */
const ANSWER_DEADLINE_MS = 60_000

/** Opens the demo with its sample conversation. */
export async function openDemo(tab: PageDriver): Promise<void> {
  await tab.open('/')
  await tab.waitForText(byTestId('meter-text'), /\d/)
}

/** Says something by keyboard and gives back the answer's text. */
export function say(tab: PageDriver, text: string): Promise<string> {
  return answerTo(tab, async () => {
    await tab.fill(byTestId('composer'), text)
    await tab.press(byTestId('composer'), 'Enter')
  })
}

/** Sends the suggestion with this label and gives back the answer's text. */
export function sayChip(tab: PageDriver, label: string): Promise<string> {
  return answerTo(tab, async () => {
    await tab.waitForText(byTestId('chip'), label)
    const body = `[...document.querySelectorAll(values[0])]
      .find((chip) => chip.innerText.includes(values[1])).click()`
    await tab.evaluate(body, [byTestId('chip'), label])
  })
}

/** Clicks what asks for an answer and gives back its text. */
export function clickForAnswer(tab: PageDriver, selector: string): Promise<string> {
  return answerTo(tab, () => tab.click(selector))
}

const isResting = `return document.querySelector(values[0]) !== null`

/** Acts, waits until there is one answer more and the page rests, and gives back its text. */
async function answerTo(tab: PageDriver, act: () => Promise<void>): Promise<string> {
  // A file that is being stored, say, keeps the composer from sending.
  await tab.waitUntil(isResting, [byTestId('send')], ANSWER_DEADLINE_MS)
  const before = await tab.count(replies)
  await act()
  // While an answer is on its way the button says Stop.
  const body = `return document.querySelectorAll(values[0]).length > values[1] &&
    document.querySelector(values[2]) !== null`
  await tab.waitUntil(body, [replies, before, byTestId('send')], ANSWER_DEADLINE_MS)
  const last = `return [...document.querySelectorAll(values[0])].at(-1).innerText`
  return String(await tab.evaluate(last, [replies]))
}

/** The numbers of the divider: tokens of the request before and after. */
export async function compactedTokens(tab: PageDriver): Promise<{ before: number; after: number }> {
  const line = await tab.waitForText(byTestId('divider'), /→.*tokens/)
  const found = /([\d,.\s]+)→([\d,.\s]+)tokens/.exec(line)
  const [before, after] = (found ?? []).slice(1).map((text) => Number(text.replace(/\D/g, '')))
  if (before === undefined || after === undefined) throw new Error(`no numbers in "${line}"`)
  return { before, after }
}
