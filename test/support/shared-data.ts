import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** Where cases and transcripts lie: `TAMP_SHARED`, else beside the repo. */
const root = resolve(process.env.TAMP_SHARED ?? '../shared')

/** Full path of a file or folder of the shared data. */
export function sharedPath(path: string): string {
  return resolve(root, path)
}

/** True where the shared data is there. Tests that need it report themselves as skipped elsewhere. */
export function hasShared(path: string): boolean {
  return existsSync(sharedPath(path))
}

/** A JSON document of the shared data. The caller names the type: the files are part of the test's own input. */
export function readSharedJson<T>(path: string): T {
  // Safe: the shape of each file is described in the README beside it, and the tests fail loudly on another.
  return JSON.parse(readFileSync(sharedPath(path), 'utf8')) as T
}

/** The lines of a JSONL file of the shared data, parsed, blank lines left out. */
export function readSharedLines<T>(path: string): T[] {
  const lines = readFileSync(sharedPath(path), 'utf8').split('\n')
  // Safe: as above.
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as T)
}

/** The names of the files of a shared folder, sorted. */
export function listShared(path: string): string[] {
  return readdirSync(sharedPath(path)).sort()
}
