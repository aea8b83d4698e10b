/**
 * `npm run size`: what a consumer's users load, in bytes before and after gzip. Fails above the limits, which are of
 * what is compressed; a target is what the design asks for.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { root } from './install.mjs'

const page = join(root, 'dist', 'src', 'index.js')
const worker = join(root, 'dist', 'worker', 'worker.js')
for (const path of [page, worker]) {
  if (!existsSync(path)) throw new Error(`${path} is missing: run "npm run build"`)
}

/** Vite would put the worker into the bundle of the page; it stays a file of its own. */
const keepWorker = {
  name: 'keep-worker-url',
  enforce: 'pre',
  transform: (code) => code.replaceAll('import.meta.url', 'document.baseURI'),
}

// What the design asks for is said beside what is reached; what is reached may not grow unnoticed.
const rows = [
  {
    name: 'page',
    content: await bundle(page, { plugins: [keepWorker] }),
    target: 8_192,
    limit: 10_240,
  },
  {
    name: 'page without Comlink',
    content: await bundle(page, { plugins: [keepWorker], external: ['comlink'] }),
    limit: 8_704,
  },
  { name: 'worker', content: readFileSync(worker), target: 40_960, limit: 69_632 },
  ...rankRows(),
]
for (const row of rows) print(row)
if (rows.some(isTooLarge)) process.exitCode = 1

function rankRows() {
  const folder = join(root, 'dist', 'worker', 'ranks')
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names.map((name) => ({
    name: `ranks ${name}`,
    content: readFileSync(join(folder, name)),
    limit: name.startsWith('o200k') ? 820_000 : undefined,
  }))
}

function print({ name, content, target, limit }) {
  const bytes = zipped(content)
  const size = `${Buffer.byteLength(content)} bytes, ${bytes} bytes with gzip`
  const bound = limit === undefined ? '' : ` (limit ${limit})`
  const missed = target !== undefined && bytes > target ? `, above the target of ${target}` : ''
  console.log(`${name}: ${size}${bound}${missed}${bytes > limit ? ': TOO LARGE' : ''}`)
}

function isTooLarge({ content, limit }) {
  return limit !== undefined && zipped(content) > limit
}

function zipped(content) {
  return gzipSync(content, { level: 9 }).length
}

/**
 * A file as an application's bundler makes it, with every export kept. As a library's build it would keep its white
 * space.
 */
async function bundle(input, { plugins, external = [] }) {
  const { output } = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins,
    build: {
      write: false,
      minify: 'oxc',
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: {
        input,
        external,
        preserveEntrySignatures: 'strict',
        output: { codeSplitting: false },
      },
    },
  })
  return output.map(({ code }) => code ?? '').join('')
}
