import { expect, test } from './support/spec.ts'

/** The drivers themselves, on a page of their own: what the other specs rely on. */
const PAGE_BODY = `
  document.body.innerHTML = \`
    <label>Name <input id="name" value="old"></label>
    <button id="greet">Greet</button>
    <output id="out"></output>
    <input id="file" type="file">
    <output id="read"></output>\`
  const out = document.querySelector('#out')
  const name = document.querySelector('#name')
  document.querySelector('#greet').onclick = () => setTimeout(() => { out.textContent = 'Hello ' + name.value }, 200)
  name.onkeydown = ({ key }) => { if (key === 'Enter') out.textContent = 'entered ' + name.value }
  document.querySelector('#file').onchange = async ({ target }) => {
    document.querySelector('#read').textContent = await target.files[0].text()
  }`

test('fills, clicks, presses and waits for texts', async ({ tab }) => {
  await tab.open('/')
  await tab.evaluate(PAGE_BODY)
  await tab.fill('#name', 'Ada (1)')
  await tab.click('#greet')
  expect(await tab.waitForText('output', 'Hello Ada (1)')).toBe('Hello Ada (1)')
  await tab.press('#name', 'Enter')
  expect(await tab.waitForText('output', /^ENTERED/i)).toBe('entered Ada (1)')
  expect(await tab.text('#out')).toBe('entered Ada (1)')
  expect(await tab.count('output')).toBe(2)
})

test('hands a file to the page', async ({ tab }) => {
  await tab.open('/')
  await tab.evaluate(PAGE_BODY)
  await tab.chooseFile('#file', { name: 'a.json', mimeType: 'application/json', text: '["é"]' })
  expect(await tab.waitForText('#read', 'é')).toBe('["é"]')
})

test('evaluates with values and takes pictures', async ({ tab }) => {
  await tab.open('/')
  expect(await tab.evaluate('return (await Promise.resolve(values[0])) + 1', [41])).toBe(42)
  await expect(tab.evaluate('throw new Error("from the page")')).rejects.toThrow('from the page')
  const png = await tab.screenshot()
  expect(png.subarray(1, 4).toString()).toBe('PNG')
})

test('loads a page anew, and has two tabs over one storage', async ({ tab }) => {
  await tab.open('/')
  await tab.evaluate(`localStorage.setItem('note', 'kept'); document.title = 'changed'`)
  await tab.reload()
  expect(await tab.evaluate('return document.title')).toBe('Tamp')
  const other = await tab.newTab()
  await other.open('/')
  await other.evaluate('document.title = "other"')
  expect(await other.evaluate(`return localStorage.getItem('note')`)).toBe('kept')
  expect(await tab.evaluate('return document.title')).toBe('Tamp')
})

test('gives up waiting for a text that does not come', async ({ tab }) => {
  await tab.open('/')
  await expect(tab.waitForText('body', 'never there', 500)).rejects.toThrow()
})

test('reports errors of the page', async ({ tab }) => {
  test.fail(true, 'an error of the page fails a test')
  await tab.open('/')
  await tab.evaluate('console.error("broken on purpose")')
})
