import { describe, expect, test } from 'vitest'

interface SuiteResult {
  readonly passed: number
  readonly failed: number
  readonly failures: readonly string[]
  readonly skipped: readonly string[]
}

interface ResultsModule {
  ofCommand(name: string, exitCode: number): SuiteResult
  ofVitest(name: string, exitCode: number, report: unknown): SuiteResult
  ofPlaywright(name: string, exitCode: number, report: unknown): SuiteResult
  sumOf(suites: readonly SuiteResult[], reasons: readonly string[]): object
}

// The scripts of the build are plain JavaScript without types, since they run before an installation.
const scriptUrl = new URL('../../.ci/results.mjs', import.meta.url).href
const results: ResultsModule = await import(/* @vite-ignore */ scriptUrl)

const vitestReport = (...statuses: string[]) => ({
  testResults: [
    {
      name: 'a.test.ts',
      status: statuses.includes('failed') ? 'failed' : 'passed',
      assertionResults: statuses.map((status, index) => ({ fullName: `test ${index}`, status })),
    },
  ],
})

describe('counts of the test command', () => {
  test('a command passes or fails as a whole', () => {
    expect(results.ofCommand('lint', 0)).toMatchObject({ passed: 1, failed: 0 })
    expect(results.ofCommand('lint', 2)).toMatchObject({ passed: 0, failed: 1 })
  })

  test('tests of Vitest are counted by their status', () => {
    const report = vitestReport('passed', 'failed', 'skipped', 'todo')
    expect(results.ofVitest('unit', 1, report)).toMatchObject({
      passed: 1,
      failed: 1,
      failures: ['test 1'],
      skipped: ['test 2', 'test 3'],
    })
  })

  test('a file that does not load is a failure', () => {
    const testResults = [{ name: 'b.test.ts', status: 'failed', assertionResults: [] }]
    const failures = ['b.test.ts did not load']
    expect(results.ofVitest('unit', 1, { testResults })).toMatchObject({ failed: 1, failures })
  })

  test('an exit code that no test explains is a failure', () => {
    expect(results.ofVitest('unit', 1, vitestReport('passed'))).toMatchObject({ failed: 1 })
  })

  test('a suite without results, or without tests, is a failure', () => {
    expect(results.ofVitest('unit', 0, undefined)).toMatchObject({ failed: 1 })
    expect(results.ofVitest('unit', 0, { testResults: [] })).toMatchObject({ failed: 1 })
    expect(results.ofPlaywright('e2e', 0, undefined)).toMatchObject({ failed: 1 })
  })

  test('runs of Playwright are counted by project, however deep', () => {
    const runs = ['expected', 'unexpected', 'flaky', 'skipped'].map((status) => ({
      projectName: status,
      status,
    }))
    const report = {
      suites: [{ suites: [{ specs: [{ title: 'chats', tests: runs }] }] }],
      errors: [],
    }
    expect(results.ofPlaywright('e2e', 1, report)).toMatchObject({
      passed: 1,
      failures: ['chats [unexpected]', 'chats [flaky]'],
      skipped: ['chats [skipped]'],
    })
  })

  test('with a reason to skip, skipped tests count as failed', () => {
    const suites = [results.ofVitest('unit', 0, vitestReport('passed', 'skipped'))]
    expect(results.sumOf(suites, [])).toEqual({ passed: 1, failed: 0 })
    expect(results.sumOf(suites, ['no data'])).toEqual({ passed: 1, failed: 1 })
  })
})
