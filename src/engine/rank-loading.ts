import type { Encoding } from '../core/encoding.ts'
import { TampError } from '../core/errors.ts'
import type { RankBytes } from '../tokens/bpe/rank-file.ts'

/** What Node is asked for; there are no types of Node in a library for browsers. */
interface NodeProcess {
  readonly getBuiltinModule?: (name: string) => NodeFiles | undefined
}

interface NodeFiles {
  readonly readFile: (path: URL) => Promise<Uint8Array>
}

/** No call may wait for ever (STYLE 28); who gets 0.9 MB in this time has 60 kbit/s. */
const DEADLINE_MS = 120_000

/**
 * Gets a rank file: from the disk where the address is that of a file, else by `fetch`. Rejects with
 * `ranks-unavailable`, with the address and the cause.
 */
export async function loadRanks(
  encoding: Encoding,
  url: string,
  deadlineMs = DEADLINE_MS,
): Promise<RankBytes> {
  try {
    const isFile = url.startsWith('file:')
    const bytes = isFile ? await readFile(url) : await fetchBytes(url, deadlineMs)
    return { bytes, url }
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    const message = `the rank file of ${encoding} cannot be had from ${url}: ${cause}`
    throw new TampError('ranks-unavailable', message, { encoding, url, cause })
  }
}

async function fetchBytes(url: string, deadlineMs: number): Promise<Uint8Array> {
  const response = await fetch(url, { signal: AbortSignal.timeout(deadlineMs) })
  if (!response.ok) throw new Error(`status ${response.status}`)
  return new Uint8Array(await response.arrayBuffer())
}

/** By the process object, since bundlers for browsers stop at an import of a module of Node. */
async function readFile(url: string): Promise<Uint8Array> {
  // Safe: the interface says that all of it may be missing.
  const { process } = globalThis as { readonly process?: NodeProcess }
  const files = process?.getBuiltinModule?.('node:fs/promises')
  if (!files) throw new Error('files can be read in Node from 20.16 on')
  return files.readFile(new URL(url))
}
