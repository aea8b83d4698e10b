import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const fromHere = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  // Relative, so that the built page works from any folder.
  base: './',
  resolve: {
    alias: [
      { find: /^tamp$/, replacement: fromHere('./src/index.ts') },
      { find: /^tamp\/local$/, replacement: fromHere('./src/entries/local.ts') },
    ],
  },
  worker: { format: 'es' },
  build: {
    outDir: 'dist/demo',
    target: 'es2022',
    // The page's policy allows no data: URLs and no inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The two workers hold the tokenizer's ranks; no splitting makes them smaller.
    chunkSizeWarningLimit: 8192,
  },
  // Not strict: where the port is taken the next free one is used, and the address is printed.
  preview: { host: '127.0.0.1', port: 4173, strictPort: false },
})
