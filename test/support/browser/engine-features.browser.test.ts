import { expect, test } from 'vitest'
import { expectErrors } from './expected-errors.ts'
import { watchErrors } from './watch-errors.ts'

const PING_SOURCE = `onmessage = ({ data }) => postMessage(data + 1)`

test('a module worker answers in this engine', async () => {
  const url = URL.createObjectURL(new Blob([PING_SOURCE], { type: 'text/javascript' }))
  const worker = new Worker(url, { type: 'module' })
  const answer = await new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data)
    worker.onerror = reject
    worker.postMessage(41)
  })
  worker.terminate()
  URL.revokeObjectURL(url)
  expect(answer).toBe(42)
})

test('a terminated worker frees its Web Lock, the sign of death that Tamp relies on', async () => {
  const name = `alive-${crypto.randomUUID()}`
  const source = `navigator.locks.request('${name}', () => { postMessage(1); return new Promise(() => {}) })`
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }))
  const worker = new Worker(url)
  await new Promise((resolve) => {
    worker.onmessage = resolve
  })
  const death = navigator.locks.request(name, () => 'dead')
  worker.terminate()
  expect(await death).toBe('dead')
})

test('the console guard collects errors once and lets them through', () => {
  const written: unknown[][] = []
  const page = { console: { error: (...values: unknown[]) => void written.push(values) } }
  const watch = watchErrors(page)
  page.console.error('broken', 3)
  expect(watch.take()).toEqual(['broken 3'])
  expect(watch.take()).toEqual([])
  expect(written).toEqual([['broken', 3]])
})

test('the console guard lets errors pass that a test announces', () => {
  expectErrors(/broken on purpose/)
  console.error('broken on purpose')
})
