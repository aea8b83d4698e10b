/**
 * `npm run bench`: measures in Node and in Chromium, prints a table, and fails where a target is missed.
 * `-- --json FILE` also writes `{ figures, targets }`; `-- --docs` writes the table into docs/performance.md;
 * `-- --only a,b` measures some of the parts alone: counting, start, node, peers, page, memory, compaction.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright'
import { build, preview } from 'vite'
import { root } from '../../.ci/install.mjs'
import { ensureRanks } from '../../.ci/ranks.mjs'
import { peerFigures } from './peers.mjs'
import { shown, writeDocs } from './report.mjs'
import { startFigures } from './start.mjs'
import { derivedFigures, judged } from './targets.mjs'
import { workerHeap } from './worker-heap.mjs'

const parts = {
  counting: figuresOfCounting,
  start: () => startFigures(chromiumLaunch()),
  peers: peerFigures,
  node: figuresInNode,
  page: () => figuresInChromium((page) => page.evaluate('pageFigures()')),
  memory: () =>
    figuresInChromium(async (page) => {
      await page.exposeFunction('workerHeapBytes', await workerHeap(page))
      return page.evaluate('pageMemoryFigures()')
    }),
  compaction: async () => [
    ...(await figuresInChromium((page) => page.evaluate('pageCompactionFigures("")'))),
    ...(await figuresInChromium(async (page) => {
      const devtools = await page.context().newCDPSession(page)
      await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 })
      return page.evaluate('pageCompactionFigures(", page at 4x throttling")')
    })),
  ],
}

const { values: options } = parseArgs({
  options: {
    json: { type: 'string' },
    only: { type: 'string', default: Object.keys(parts).join() },
    docs: { type: 'boolean', default: false },
  },
})
await ensureRanks()
const measured = []
for (const name of options.only.split(',')) {
  if (!Object.hasOwn(parts, name)) throw new Error(`there is no part ${name}`)
  measured.push(...(await parts[name]()))
}
const figures = [...measured, ...derivedFigures(measured)]
const targets = judged(figures)
print(figures)
for (const { name, value, unit, limit, ok } of targets) {
  console.log(`${ok ? 'met   ' : 'MISSED'}  ${name}: ${shown(value)} ${unit} (${limit})`)
}
if (options.json !== undefined) {
  writeFileSync(options.json, `${JSON.stringify({ figures, targets }, undefined, 2)}\n`)
}
if (options.docs) writeDocs(figures, targets)
if (targets.some(({ ok }) => !ok)) process.exitCode = 1

/**
 * Built, since a module loader that keeps bindings alive would be measured along; two folders deep, as the sources are,
 * since it looks for the rank files where they do.
 */
async function figuresInNode() {
  const outDir = join(root, 'dist', 'bench')
  const rolldownOptions = { output: { entryFileNames: 'in-node.mjs' } }
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true },
    build: {
      outDir,
      emptyOutDir: false,
      ssr: 'test/bench/in-node.ts',
      target: 'node20',
      rolldownOptions,
    },
  })
  const { nodeFigures } = await import(pathToFileURL(join(outDir, 'in-node.mjs')).href)
  return nodeFigures()
}

/** The packages stay outside: some look for files beside themselves. */
async function figuresOfCounting() {
  const outDir = join(root, 'dist', 'bench', 'counting')
  const input = ['test/bench/counting.ts', 'test/bench/counting-child.ts']
  const rolldownOptions = { input, output: { entryFileNames: '[name].mjs' } }
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    build: { outDir, ssr: true, target: 'node20', rolldownOptions },
  })
  const { countingFigures } = await import(pathToFileURL(join(outDir, 'counting.mjs')).href)
  return countingFigures(join(outDir, 'counting-child.mjs'))
}

async function figuresInChromium(measure) {
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
    return await measure(page)
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
