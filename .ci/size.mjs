/** `npm run size`: what a consumer's users load, minified, in bytes before and after gzip. */
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
print('page', await bundlePage())
print('worker', readFileSync(worker, 'utf8'))

function print(name, code) {
  const bytes = Buffer.byteLength(code)
  console.log(`${name}: ${bytes} bytes, ${gzipSync(code, { level: 9 }).length} bytes with gzip`)
}

/** The page's side as an application's bundler makes it; the worker stays a file of its own. */
async function bundlePage() {
  const keepWorker = {
    name: 'keep-worker-url',
    // Vite would put the worker into the bundle of a library.
    transform: (code) => code.replaceAll('import.meta.url', 'document.baseURI'),
  }
  const [{ output }] = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins: [{ ...keepWorker, enforce: 'pre' }],
    build: { write: false, lib: { entry: page, formats: ['es'] }, minify: 'oxc', target: 'es2022' },
  })
  return output.map(({ code }) => code ?? '').join('')
}
