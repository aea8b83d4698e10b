import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { ensureRanks } from './.ci/ranks.mjs'
import {
  chromiumLaunch,
  type EngineName,
  firefoxLaunch,
  installedEngines,
} from './test/support/browser/engines.ts'
import { webkitgtk } from './test/support/browser/webkitgtk-provider.ts'

const browserTests = 'test/**/*.browser.test.ts'

const instances = {
  chromium: {
    browser: 'chromium',
    name: 'browser:chromium',
    provider: playwright({ launchOptions: chromiumLaunch() }),
  },
  firefox: {
    browser: 'firefox',
    name: 'browser:firefox',
    provider: playwright({ launchOptions: firefoxLaunch() }),
  },
  // Not headless for Vitest: the screen is Xvfb.
  webkit: { browser: 'webkit', name: 'browser:webkit', provider: webkitgtk(), headless: false },
} as const satisfies Record<EngineName, object>

await ensureRanks()

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          environment: 'node',
          include: ['test/**/*.test.ts'],
          exclude: [browserTests],
        },
      },
      {
        worker: { format: 'es' },
        // Named, or Vite finds them in the middle of a run and reloads the page under the test.
        optimizeDeps: {
          entries: [],
          include: [
            'comlink',
            'idb',
            // Of the demo, which Vite scans too.
            '@preact/signals',
            'dompurify',
            'eventsource-parser/stream',
            'marked',
            'preact',
            'preact/hooks',
            'preact/jsx-dev-runtime',
          ],
        },
        test: {
          name: 'browser',
          include: [browserTests],
          setupFiles: ['test/support/browser/console-guard.ts'],
          fileParallelism: false,
          // Three browsers on two cores: a worker may take seconds to start.
          testTimeout: 40_000,
          browser: {
            enabled: true,
            headless: true,
            ui: false,
            screenshotFailures: false,
            instances: installedEngines('browser tests').map((name) => ({ ...instances[name] })),
          },
        },
      },
    ],
  },
})
