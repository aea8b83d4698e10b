/** What the two commands of the README need before they can start. Uses Node alone. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** Runs a command in the repository's root and shows what it prints; gives back its exit code. */
export function run(command, args, environment = {}) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (error !== undefined) console.error(`${command} did not start: ${error.message}`)
  return status ?? 1
}

/** Installs the npm packages if they are absent or older than the lock file. */
export function installPackages() {
  const installed = join(root, 'node_modules', '.package-lock.json')
  const lock = join(root, 'package-lock.json')
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return
  console.log('installing npm packages')
  if (run('npm', ['ci', '--no-audit', '--no-fund']) !== 0) throw new Error('npm ci failed')
}

/**
 * Installs missing browsers where root may do so with apt-get; else names the packages.
 * Gives back the packages that are still missing.
 */
export function installBrowsers() {
  const wanted = missingPackages()
  if (wanted.length === 0) return []
  if (!isRoot() || !isOnPath('apt-get')) {
    console.log(`browsers are missing; as root: apt-get install ${wanted.join(' ')}`)
    return wanted
  }
  console.log(`installing ${wanted.join(' ')}`)
  // Another apt run may hold the lock for a while.
  const wait = ['-o', 'DPkg::Lock::Timeout=300']
  const environment = { DEBIAN_FRONTEND: 'noninteractive' }
  run('apt-get', [...wait, 'update'], environment)
  run('apt-get', [...wait, 'install', '-y', '--no-install-recommends', ...wanted], environment)
  return missingPackages()
}

/** Whether there is any browser to run tests in. */
export function hasBrowser() {
  return !engines().every(isMissing)
}

/** The Debian packages of the engines of which a program is missing. */
function missingPackages() {
  return engines()
    .filter(isMissing)
    .flatMap(({ debianPackages }) => debianPackages)
}

function engines() {
  const table = join(root, 'test', 'support', 'browser', 'engines.json')
  return Object.values(JSON.parse(readFileSync(table, 'utf8')))
}

function isMissing({ executables, environmentVariable, programs }) {
  const chosen = process.env[environmentVariable]
  const candidates = chosen === undefined ? executables : [chosen]
  return !candidates.some(existsSync) || !programs.every(isOnPath)
}

function isOnPath(program) {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.some((folder) => existsSync(join(folder, program)))
}

function isRoot() {
  return process.getuid?.() === 0
}
