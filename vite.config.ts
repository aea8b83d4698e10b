import { defineConfig } from 'vite'

/** The demo page: `vite` serves it from source, `vite build` writes it to dist/demo. */
export default defineConfig({
  // Relative, so that the built page also works below a path.
  base: './',
  // One file for the worker, as consumers get it.
  worker: { format: 'es', rolldownOptions: { output: { codeSplitting: false } } },
  build: { outDir: 'dist/demo', target: 'es2022', emptyOutDir: true, chunkSizeWarningLimit: 4_000 },
})
