import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { ensureRanks } from './.ci/ranks.mjs'

const fromHere = (path: string) => fileURLToPath(new URL(path, import.meta.url))

await ensureRanks()

/** The demo page: `vite` serves it from source, `vite build` writes it to dist/demo. */
export default defineConfig({
  // Relative, so that the built page works from any folder.
  base: './',
  resolve: {
    // The sources, whatever the package's exports say once it is built.
    alias: [
      { find: /^tamp$/, replacement: fromHere('./src/index.ts') },
      { find: /^tamp\/local$/, replacement: fromHere('./src/entries/local.ts') },
      { find: /^tamp\/defaults$/, replacement: fromHere('./src/entries/defaults.ts') },
    ],
  },
  // A worker is one file, as consumers get it.
  worker: { format: 'es', rolldownOptions: { output: { codeSplitting: false } } },
  build: {
    outDir: 'dist/demo',
    emptyOutDir: true,
    target: 'es2022',
    // The page's policy allows no data: addresses and no inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The simulator's worker holds a tokenizer's tables; splitting would not make it smaller.
    chunkSizeWarningLimit: 4_096,
  },
  // Not strict: where the port is taken the next free one is used, and the address is printed.
  preview: { host: '127.0.0.1', port: 4173, strictPort: false },
})
