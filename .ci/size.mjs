/**
 * `npm run size`: what a consumer's users load, in bytes before and after gzip. Fails above the limits, which are of
 * what is compressed.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { root } from './install.mjs'

const page = join(root, 'dist', 'src', 'index.js')
const worker = join(root, 'dist', 'worker', 'worker.js')
for (const path of [page, worker]) {
  if (!existsSync(path)) throw new Error(`${path} is missing: run "npm run build"`)
}

const rows = [
  { name: 'page', content: await bundlePage(), limit: 8_192 },
  { name: 'worker', content: readFileSync(worker) },
]
for (const row of rows) print(row)
if (rows.some(isTooLarge)) process.exitCode = 1

function print({ name, content, limit }) {
  const size = `${Buffer.byteLength(content)} bytes, ${zipped(content)} bytes with gzip`
  const said = limit === undefined ? '' : ` (limit ${limit})`
  console.log(`${name}: ${size}${said}${isTooLarge({ content, limit }) ? ': TOO LARGE' : ''}`)
}

function isTooLarge({ content, limit }) {
  return limit !== undefined && zipped(content) > limit
}

function zipped(content) {
  return gzipSync(content, { level: 9 }).length
}

/**
 * The page's side as an application's bundler makes it, with every export kept. As a library's build it would keep
 * its white space.
 */
async function bundlePage() {
  const keepWorker = {
    name: 'keep-worker-url',
    // The worker stays a file of its own.
    transform: (code) => code.replaceAll('import.meta.url', 'document.baseURI'),
  }
  const { output } = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins: [{ ...keepWorker, enforce: 'pre' }],
    build: {
      write: false,
      minify: 'oxc',
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: {
        input: page,
        preserveEntrySignatures: 'strict',
        output: { codeSplitting: false },
      },
    },
  })
  return output.map(({ code }) => code ?? '').join('')
}
