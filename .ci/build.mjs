/** `npm run build`: the library as ES modules, the worker as one file, and the demo page. */
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build, parseSync } from 'vite'
import { root, run } from './install.mjs'
import { ensureRanks } from './ranks.mjs'

rmSync(join(root, 'dist'), { recursive: true, force: true })
if (run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json']) !== 0) {
  process.exit(1)
}
// It describes the file that the bundle now replaces.
rmSync(join(root, 'dist', 'worker', 'worker.js.map'))
await buildWorker()
await copyRanks()
await build({ root, logLevel: 'warn' })
console.log('built dist/src, dist/worker and dist/demo')

/**
 * One self-contained file that takes the place of what tsc wrote: bundlers that emit the worker as it
 * is would not find its imports. Top-level await would make it miss the first messages.
 */
async function buildWorker() {
  const { output } = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    build: {
      outDir: 'dist/worker',
      emptyOutDir: false,
      target: 'es2022',
      rolldownOptions: {
        input: 'worker/worker.ts',
        output: { entryFileNames: 'worker.js', codeSplitting: false },
      },
    },
  })
  if (output.length !== 1) throw new Error(`the worker became ${output.length} files, not one`)
  checkSelfContained(output[0])
}

/** Beside the worker, where the page's code looks for them. */
async function copyRanks() {
  const folder = join(root, 'dist', 'worker', 'ranks')
  mkdirSync(folder)
  for (const path of await ensureRanks()) copyFileSync(path, join(folder, basename(path)))
}

function checkSelfContained({ fileName, imports, dynamicImports, code }) {
  const outside = [...imports, ...dynamicImports]
  if (outside.length > 0) throw new Error(`${fileName} imports ${outside.join(', ')}`)
  const { program } = parseSync(fileName, code, { sourceType: 'module' })
  if (awaitsOutsideFunctions(program)) throw new Error(`${fileName} awaits at its top level`)
}

function awaitsOutsideFunctions(node) {
  if (node === null || typeof node !== 'object') return false
  if (node.type === 'AwaitExpression' || node.await === true) return true
  if (/Function/.test(node.type ?? '')) return false
  return Object.values(node).some(awaitsOutsideFunctions)
}
