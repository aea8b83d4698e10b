import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import engineTable from './engines.json' with { type: 'json' }

/** The browser engines that every browser test and every e2e spec runs in. */
export type EngineName = keyof typeof engineTable

/** A browser that is not installed, with the Debian packages that bring it. */
export interface MissingEngine {
  readonly name: EngineName
  readonly debianPackages: readonly string[]
}

// Safe: Object.keys gives exactly the keys of the table, typed as plain strings.
export const engineNames = Object.keys(engineTable) as readonly EngineName[]

/**
 * Chromium refuses to start as root with its sandbox. The other switches keep it from calling home
 * while tests run.
 */
export const chromiumArguments: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The path of an engine's browser: the environment's choice, else Debian's place; may not exist. */
export function executableOf(name: EngineName): string {
  const { environmentVariable, executables } = engineTable[name]
  const chosen = process.env[environmentVariable]
  return chosen ?? executables.find((path) => existsSync(path)) ?? executables[0] ?? name
}

/** Launch options for Playwright's `chromium`. */
export function chromiumLaunch() {
  return { executablePath: executableOf('chromium'), args: [...chromiumArguments] }
}

/**
 * Launch options for Playwright's `firefox`. The channel makes Playwright speak WebDriver BiDi to
 * Debian's unpatched Firefox; Playwright 1.65 sends a command that Firefox ESR 153 does not know.
 */
export function firefoxLaunch() {
  return { channel: 'moz-firefox', executablePath: executableOf('firefox') }
}

/** The engines whose browser is not installed. */
export function missingEngines(): MissingEngine[] {
  return engineNames
    .filter((name) => !isInstalled(name))
    .map((name) => ({ name, debianPackages: engineTable[name].debianPackages }))
}

function isInstalled(name: EngineName): boolean {
  // Typed by hand: the table infers empty lists for the engines that need no other program.
  const programs: readonly string[] = engineTable[name].programs
  return existsSync(executableOf(name)) && programs.every(isOnPath)
}

function isOnPath(program: string): boolean {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.some((folder) => existsSync(join(folder, program)))
}

/**
 * The engines to run a suite in. What is missing is named on the console.
 *
 * Throws in CI (environment variable `CI`) when one is missing: there a skipped engine is a failure.
 */
export function installedEngines(suite: string): EngineName[] {
  const missing = missingEngines()
  for (const { name, debianPackages } of missing) {
    const notice = `${suite}: ${name} is not installed; apt-get install ${debianPackages.join(' ')}`
    if (process.env.CI) throw new Error(notice)
    console.warn(`skipped: ${notice}`)
  }
  return engineNames.filter((name) => !missing.some((engine) => engine.name === name))
}
