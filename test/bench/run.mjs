/**
 * `npm run bench`: measures in Node and in Chromium and prints a table.
 * `npm run bench -- --json FILE` also writes `{ figures: [{ name, value, unit }] }`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright'
import { build, preview } from 'vite'
import { root } from '../../.ci/install.mjs'
import { workerHeap } from './worker-heap.mjs'

const { values: options } = parseArgs({ options: { json: { type: 'string' } } })
const figures = [...(await figuresInNode()), ...(await figuresInChromium())]
print(figures)
if (options.json !== undefined) {
  writeFileSync(options.json, `${JSON.stringify({ figures }, undefined, 2)}\n`)
}

/** Built, since a module loader that keeps bindings alive would be measured along. */
async function figuresInNode() {
  const outDir = join(root, 'dist', 'bench', 'node')
  const rolldownOptions = { output: { entryFileNames: 'in-node.mjs' } }
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true },
    build: { outDir, ssr: 'test/bench/in-node.ts', target: 'node20', rolldownOptions },
  })
  const { nodeFigures } = await import(pathToFileURL(join(outDir, 'in-node.mjs')).href)
  return nodeFigures()
}

async function figuresInChromium() {
  const outDir = join(root, 'dist', 'bench', 'page')
  const pageRoot = join(root, 'test', 'bench', 'page')
  const settings = { root: pageRoot, configFile: join(root, 'vite.config.ts'), logLevel: 'warn' }
  await build({ ...settings, build: { outDir, emptyOutDir: true } })
  const served = { host: '127.0.0.1', port: 0 }
  const server = await preview({ ...settings, build: { outDir }, preview: served })
  const { port } = server.httpServer.address()
  const browser = await chromium.launch(chromiumLaunch())
  try {
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${port}/`)
    const figures = await page.evaluate('pageFigures()')
    await page.exposeFunction('workerHeapBytes', await workerHeap(page))
    return [...figures, ...(await page.evaluate('pageMemoryFigures()'))]
  } finally {
    await browser.close()
    await server.close()
  }
}

function chromiumLaunch() {
  const table = join(root, 'test', 'support', 'browser', 'engines.json')
  const { executables, environmentVariable, debianPackages } = JSON.parse(
    readFileSync(table, 'utf8'),
  ).chromium
  const executablePath = process.env[environmentVariable] ?? executables.find(existsSync)
  if (executablePath === undefined) throw new Error(`install ${debianPackages.join(' ')}`)
  return { executablePath, args: ['--no-sandbox', '--disable-gpu'] }
}

function print(all) {
  const width = Math.max(...all.map(({ name }) => name.length))
  for (const { name, value, unit } of all) {
    console.log(`${name.padEnd(width)}  ${shown(value).padStart(12)}  ${unit}`)
  }
}

function shown(value) {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 2 : 0 })
}
