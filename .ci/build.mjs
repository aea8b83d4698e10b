/** `npm run build`: the library as ES modules, the worker as one file, and the demo page. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { build, parseSync } from 'vite'
import { root, run } from './install.mjs'

/** The tokenizer's two tables are inside, about 1 MB each. */
const largestWorkerKilobytes = 4_000

rmSync(join(root, 'dist'), { recursive: true, force: true })
if (run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json']) !== 0) {
  process.exit(1)
}
// It describes the file that the bundle now replaces.
rmSync(join(root, 'dist', 'worker', 'worker.js.map'))
await buildWorker()
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
      chunkSizeWarningLimit: largestWorkerKilobytes,
      rolldownOptions: {
        input: 'worker/worker.ts',
        output: { entryFileNames: 'worker.js', codeSplitting: false },
      },
    },
  })
  if (output.length !== 1) throw new Error(`the worker became ${output.length} files, not one`)
  checkSelfContained(output[0])
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
