/**
 * `npm test`: installs what is missing, runs every suite and ends with one line,
 * `N passed, N failed`, that sums them.
 *
 * A suite that crashes, or writes no results, counts as one failure. In CI (environment variable
 * `CI`) so does every test that was skipped because the shared data or a browser is not there.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { hasBrowser, installBrowsers, installPackages, root, run } from './install.mjs'
import { crashed, ofCommand, ofPlaywright, ofVitest, skippedSuite, sumOf } from './results.mjs'

const resultsFolder = join(root, 'test-results', 'json')
const inCi = Boolean(process.env.CI)

let missingPackages = []
try {
  installPackages()
  missingPackages = installBrowsers()
} catch (error) {
  console.error(error)
  finish([crashed('install', error.message)])
}
// In CI the suites run all the same, and fail with the names of what is missing.
const withBrowsers = inCi || hasBrowser()
rmSync(resultsFolder, { recursive: true, force: true })
mkdirSync(resultsFolder, { recursive: true })

finish([
  commandSuite('types', 'tsc', ['--noEmit']),
  commandSuite('lint', 'biome', ['check']),
  vitestSuite('unit', 'unit'),
  withBrowsers ? vitestSuite('browser', 'browser:*') : skippedSuite('browser'),
  scriptSuite('build', '.ci/build.mjs'),
  withBrowsers ? playwrightSuite() : skippedSuite('e2e'),
  scriptSuite('size', '.ci/size.mjs'),
])

function commandSuite(name, binary, args) {
  announce(name)
  return ofCommand(name, runBinary(binary, args))
}

function scriptSuite(name, script) {
  announce(name)
  return ofCommand(name, run(process.execPath, [script]))
}

function vitestSuite(name, project) {
  announce(name)
  const file = join(resultsFolder, `${name}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const exitCode = runBinary('vitest', ['run', '--project', project, ...reporters])
  return ofVitest(name, exitCode, readJson(file))
}

function playwrightSuite() {
  announce('e2e')
  const file = join(resultsFolder, 'e2e.json')
  const exitCode = runBinary('playwright', ['test', '--reporter=list,json'], {
    PLAYWRIGHT_JSON_OUTPUT_NAME: file,
  })
  return ofPlaywright('e2e', exitCode, readJson(file))
}

function runBinary(binary, args, environment) {
  return run(join(root, 'node_modules', '.bin', binary), args, environment)
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

function announce(name) {
  console.log(`\n== ${name}`)
}

/** What makes tests skip themselves, in words; empty where everything is there. */
function reasonsToSkip() {
  const shared = resolve(root, process.env.TAMP_SHARED ?? '../shared')
  return [
    ...(existsSync(shared) ? [] : ['the shared data (TAMP_SHARED) is not there']),
    ...(missingPackages.length > 0 ? [`not installed: ${missingPackages.join(' ')}`] : []),
  ]
}

function finish(suites) {
  console.log('\n== summary')
  for (const { name, passed, failed, skipped } of suites) {
    console.log(`${name}: ${passed} passed, ${failed} failed, ${skipped.length} skipped`)
  }
  for (const { name, failures } of suites) {
    for (const failure of failures) console.log(`failed in ${name}: ${failure}`)
  }
  const reasons = reasonsToSkip()
  for (const title of suites.flatMap(({ skipped }) => skipped)) console.log(`skipped: ${title}`)
  for (const reason of reasons) console.log(`reason to skip: ${reason}`)
  const { passed, failed } = sumOf(suites, inCi ? reasons : [])
  console.log(`${passed} passed, ${failed} failed`)
  process.exit(failed > 0 || passed === 0 ? 1 : 0)
}
