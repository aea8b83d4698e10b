import { byTestId } from './demo.ts'
import type { PageDriver } from './driver.ts'

const bodies = `${byTestId('message')} .body`

/** The texts of all messages that the page shows, in order. */
export async function transcriptOf(tab: PageDriver): Promise<readonly string[]> {
  const body = `return [...document.querySelectorAll(values[0])].map((one) => one.innerText)`
  const texts = await tab.evaluate(body, [bodies])
  // WebKit ends a text of preserved spaces with a line break.
  return Array.isArray(texts) ? texts.map((text) => String(text).trim()) : []
}

/** Waits until the page shows so many messages. */
export async function waitForMessages(tab: PageDriver, count: number): Promise<void> {
  const body = `return document.querySelectorAll(values[0]).length === values[1]`
  await tab.waitUntil(body, [bodies, count])
}

/** The address of the open conversation, as a path to open. */
export async function pathOfConversation(tab: PageDriver): Promise<string> {
  return String(await tab.evaluate(`return location.pathname + location.hash`))
}

/** Shows the list of conversations: on a narrow window it is behind a button. */
export async function showConversations(tab: PageDriver): Promise<void> {
  const isHidden = `return document.querySelector(values[0])?.offsetParent == null`
  const hasDrawer = (await tab.count(byTestId('drawer-open'))) > 0
  if (hasDrawer && (await tab.evaluate(isHidden, [byTestId('conversations')]))) {
    await tab.click(byTestId('drawer-open'))
  }
}

/** Exports the open conversation by its button and gives back the text of the file. */
export async function exportOpen(tab: PageDriver): Promise<string> {
  await showConversations(tab)
  // What a download becomes differs by browser; the file itself is made in the page.
  await tab.evaluate(`
    const create = URL.createObjectURL
    URL.createObjectURL = (blob) => {
      URL.createObjectURL = create
      globalThis.exportedFile = blob
      return create.call(URL, blob)
    }`)
  await tab.click(byTestId('export'))
  await tab.waitUntil('return globalThis.exportedFile !== undefined')
  return String(await tab.evaluate('return globalThis.exportedFile.text()'))
}

/** Imports an exported file, which opens it. */
export async function importText(tab: PageDriver, text: string): Promise<void> {
  const before = await pathOfConversation(tab)
  await showConversations(tab)
  const file = { name: 'exported.json', mimeType: 'application/json', text }
  await tab.chooseFile(byTestId('import-file'), file)
  await tab.waitUntil('return location.pathname + location.hash !== values[0]', [before])
}

/** The last request, byte for byte, as the inspector shows it. */
export async function sentBytes(tab: PageDriver): Promise<string> {
  await tab.click(byTestId('inspector-open'))
  await tab.waitUntil('return document.querySelector(values[0]) !== null', [byTestId('sent-bytes')])
  const body = `
    const text = document.querySelector(values[0]).textContent
    document.querySelector(values[1]).close()
    return text`
  return String(await tab.evaluate(body, [byTestId('sent-bytes'), byTestId('inspector')]))
}
