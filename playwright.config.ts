import { defineConfig } from '@playwright/test'
import { type EngineName, installedEngines } from './test/support/browser/engines.ts'

/** What only one engine's driver can do lives in files that name the engine. */
const testIgnore: Record<EngineName, RegExp[]> = {
  chromium: [],
  firefox: [/\.chromium\.spec\.ts$/],
  webkit: [/\.chromium\.spec\.ts$/],
}

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  globalSetup: './e2e/support/global-setup.ts',
  forbidOnly: Boolean(process.env.CI),
  timeout: 120_000,
  workers: 2,
  reporter: [['list']],
  projects: installedEngines('e2e').map((name) => ({ name, testIgnore: testIgnore[name] })),
})
