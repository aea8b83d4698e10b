/**
 * Counts of what a suite said. A result is
 * `{ name, passed, failed, failures: text[], skipped: text[] }`.
 */

/** A suite that is one command: it passes or fails as a whole. */
export function ofCommand(name, exitCode) {
  if (exitCode !== 0) return crashed(name, `ended with exit code ${exitCode}`)
  return { name, passed: 1, failed: 0, failures: [], skipped: [] }
}

/** A suite that gave no results. */
export function crashed(name, reason) {
  return { name, passed: 0, failed: 1, failures: [reason], skipped: [] }
}

/** A suite that had nothing to run in. */
export function skippedSuite(name) {
  return { name, passed: 0, failed: 0, failures: [], skipped: [`all of ${name}`] }
}

/** Counts of Vitest's JSON report; `undefined` where it wrote none. */
export function ofVitest(name, exitCode, report) {
  if (report === undefined) return crashed(name, `no results, exit code ${exitCode}`)
  const files = report.testResults
  const tests = files.flatMap((file) => file.assertionResults)
  // A file that fails while it is loaded holds no tests that could fail.
  const broken = files.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some(isFailed),
  )
  const failures = [
    ...tests.filter(isFailed).map(titleOf),
    ...broken.map((file) => `${file.name} did not load`),
  ]
  return honest(name, exitCode, {
    passed: tests.filter(({ status }) => status === 'passed').length,
    failures,
    skipped: tests.filter(({ status }) => status !== 'passed' && status !== 'failed').map(titleOf),
  })
}

function isFailed({ status }) {
  return status === 'failed'
}

function titleOf({ fullName }) {
  return fullName
}

/** Counts of Playwright's JSON report; `undefined` where it wrote none. */
export function ofPlaywright(name, exitCode, report) {
  if (report === undefined) return crashed(name, `no results, exit code ${exitCode}`)
  const runs = report.suites.flatMap(runsBelow)
  const titled = (wanted) =>
    runs.filter(({ status }) => wanted.includes(status)).map(({ title }) => title)
  return honest(name, exitCode, {
    passed: titled(['expected']).length,
    failures: [...titled(['unexpected', 'flaky']), ...report.errors.map(({ message }) => message)],
    skipped: titled(['skipped']),
  })
}

function runsBelow(suite) {
  const own = (suite.specs ?? []).flatMap((spec) =>
    spec.tests.map((test) => ({
      title: `${spec.title} [${test.projectName}]`,
      status: test.status,
    })),
  )
  return [...own, ...(suite.suites ?? []).flatMap(runsBelow)]
}

/** An exit code that no counted failure explains is a failure too, and so is a suite without tests. */
function honest(name, exitCode, { passed, failures, skipped }) {
  const unexplained =
    exitCode !== 0 && failures.length === 0 ? [`ended with exit code ${exitCode}`] : []
  const empty = passed + failures.length === 0 && exitCode === 0 ? ['no test ran'] : []
  const all = [...failures, ...unexplained, ...empty]
  return { name, passed, failed: all.length, failures: all, skipped }
}

/** The sum of all suites; with reasons to skip given, each skipped test counts as failed. */
export function sumOf(suites, reasonsToSkip) {
  const total = (count) => suites.reduce((sum, suite) => sum + count(suite), 0)
  const skipped = reasonsToSkip.length > 0 ? total((suite) => suite.skipped.length) : 0
  return {
    passed: total((suite) => suite.passed),
    failed: total((suite) => suite.failed) + skipped,
  }
}
