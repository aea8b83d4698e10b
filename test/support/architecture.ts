import { posix } from 'node:path'
import type { ImportSite, SourceFacts } from './imports.ts'

/**
 * The table of directions (ARCHITECTURE.md): who may import what. A folder stands for the files below
 * it. Leaves see the core and themselves; only the composing files see more.
 */
const leaves = [
  'src/passes/',
  'src/invariants/',
  'src/strategies/',
  'src/tokens/',
  'src/storage/',
  'src/summarize/',
  'src/adapters/',
  'src/meter/',
  'src/recall/',
]
const engineInterface = [
  'src/engine/engine.ts',
  'src/engine/conversation-jobs.ts',
  'src/engine/events.ts',
  'src/engine/remote.ts',
  'src/engine/unique-id.ts',
  'src/engine/until-aborted.ts',
]
const localEngine = 'src/engine/local.ts'

/** The first row that matches a file's path holds for it. */
const directions: readonly { readonly from: string; readonly to: readonly string[] }[] = [
  { from: 'src/core/', to: ['src/core/'] },
  ...leaves.map((leaf) => ({ from: leaf, to: ['src/core/', leaf] })),
  // The worker is named by its URL, and the bundled file takes that name.
  { from: 'src/engine/remote.ts', to: ['src/core/', 'src/engine/', 'worker/worker.ts'] },
  // So are the rank files, in one place for the page and for the engine without a worker.
  { from: 'src/engine/rank-urls.ts', to: ['src/core/', 'worker/ranks/'] },
  { from: 'src/engine/', to: ['src/core/', 'src/engine/', ...leaves] },
  { from: 'src/request.ts', to: ['src/core/', ...engineInterface] },
  { from: 'src/summarizer.ts', to: ['src/core/', ...engineInterface] },
  {
    from: 'src/options.ts',
    to: ['src/core/', ...leaves, ...engineInterface, 'src/summarizer.ts'],
  },
  {
    from: 'src/conversation/',
    to: [
      'src/core/',
      'src/adapters/shapes/',
      ...engineInterface,
      'src/request.ts',
      'src/conversation/',
    ],
  },
  {
    from: 'src/compactor.ts',
    to: [
      'src/core/',
      ...leaves,
      ...engineInterface,
      'src/request.ts',
      'src/options.ts',
      'src/summarizer.ts',
      'src/conversation/',
    ],
  },
  {
    from: 'src/fetch.ts',
    to: ['src/core/', 'src/adapters/', 'src/compactor.ts', ...engineInterface],
  },
  { from: 'src/index.ts', to: ['src/'] },
  { from: 'src/entries/', to: ['src/'] },
  { from: 'src/seams/', to: ['src/core/', 'src/index.ts', 'src/compactor.ts', 'src/seams/'] },
  { from: 'worker/', to: ['src/', 'worker/'] },
  // The demo hands in a worker of its own making, as an app may: the worker file is public.
  { from: 'demo/', to: ['src/index.ts', 'worker/worker.ts', 'demo/'] },
]

/** Packages that one place alone may import, beside being a dependency of the package. */
const packagePlaces: Readonly<Record<string, readonly string[]>> = {
  comlink: ['src/engine/remote.ts', 'worker/serve.ts'],
  // The simulated provider counts for itself: a fault in our counter must not hide itself.
  'gpt-tokenizer': ['demo/simulator/'],
  idb: ['src/storage/idb-store.ts'],
}

/** Our own package's names, as its `exports` map them. */
const ownExports: Readonly<Record<string, string>> = {
  tamp: 'src/index.ts',
  'tamp/local': 'src/entries/local.ts',
  'tamp/defaults': 'src/entries/defaults.ts',
  'tamp/worker': 'worker/serve.ts',
}

/** What would make the core impure: time, chance, the network, the page, and anything that waits. */
const impureNames = new Set(
  `Promise fetch setTimeout setInterval setImmediate queueMicrotask requestAnimationFrame Date
  performance crypto document window self globalThis navigator localStorage sessionStorage indexedDB
  caches process console XMLHttpRequest WebSocket EventSource Worker SharedWorker MessageChannel
  BroadcastChannel AbortController AbortSignal EventTarget ReadableStream Request Response eval`.split(
    /\s+/,
  ),
)

const drawerNames = /^(utils?|helpers?|common|misc|shared)$/

/** The files of the repository that the table speaks about, by path from its root. */
export type SourceFiles = ReadonlyMap<string, SourceFacts>

/** Everything that breaks the table, as sentences with path and line; empty where all is well. */
export function architectureFaults(
  files: SourceFiles,
  runtimeDependencies: readonly string[],
  others: ReadonlySet<string> = new Set(),
): string[] {
  const exists = (path: string) => files.has(path) || others.has(path)
  const faults: string[] = []
  for (const [path, facts] of files) {
    faults.push(...nameFaults(path), ...purityFaults(path, facts))
    for (const site of facts.imports) {
      const problem = importFault(path, site, { exists, runtimeDependencies })
      if (problem !== undefined) faults.push(`${path}:${site.line} ${problem}`)
    }
  }
  return [...faults, ...reachFaults(files, exists), ...comlinkFaults(files)]
}

interface Surroundings {
  exists(path: string): boolean
  readonly runtimeDependencies: readonly string[]
}

function importFault(path: string, site: ImportSite, around: Surroundings): string | undefined {
  const { specifier } = site
  if (specifier === undefined) return `names a module that is computed (${site.how})`
  const target = resolveSpecifier(path, specifier, around.exists)
  if (target === undefined) return packageFault(path, specifier, around.runtimeDependencies)
  if (!around.exists(target)) return `imports ${specifier}, which does not exist`
  const row = rowOf(path)
  if (row === undefined) return 'is in no row of the table of directions'
  if (target === path || row.to.some((allowed) => isBelow(target, allowed))) return undefined
  return `must not import ${target} (${site.how})`
}

function packageFault(
  path: string,
  specifier: string,
  runtimeDependencies: readonly string[],
): string | undefined {
  const name = packageName(specifier)
  const places = packagePlaces[name]
  if (places !== undefined && !places.some((place) => isBelow(path, place))) {
    return `must not import ${name}: only ${places.join(', ')} may`
  }
  if (path.startsWith('src/core/')) return `must not import ${specifier}: the core imports nothing`
  if (path.startsWith('demo/') || runtimeDependencies.includes(name)) return undefined
  return `imports ${specifier}, which is no dependency of the package`
}

function nameFaults(path: string): string[] {
  const parts = path.split('/').map((part) => part.replace(/\..*$/, ''))
  return parts.some((part) => drawerNames.test(part)) ? [`${path} has the name of a drawer`] : []
}

function purityFaults(path: string, facts: SourceFacts): string[] {
  if (!path.startsWith('src/core/')) return []
  const impure = facts.names.filter(({ name }) => impureNames.has(name))
  return [
    ...impure.map(({ name, line }) => `${path}:${line} uses ${name}: the core is pure`),
    ...facts.asyncLines.map((line) => `${path}:${line} is asynchronous: the core is not`),
  ]
}

/** The page must never load the engine itself, nor the tokenizer, by whatever way. */
function reachFaults(files: SourceFiles, exists: (path: string) => boolean): string[] {
  const reached = new Map<string, string>([['src/index.ts', 'src/index.ts']])
  for (const [path, way] of reached) {
    for (const site of files.get(path)?.imports ?? []) {
      const target = site.specifier && resolveSpecifier(path, site.specifier, exists)
      // The worker is another program: its URL is no import of the page.
      if (!target || target.startsWith('worker/') || reached.has(target)) continue
      reached.set(target, `${way} → ${target}`)
    }
  }
  return [...reached]
    .filter(([path]) => path === localEngine || path.startsWith('src/tokens/'))
    .map(([, way]) => `the page reaches what belongs in the worker: ${way}`)
}

/** Both ends of the boundary import Comlink, once they exist. */
function comlinkFaults(files: SourceFiles): string[] {
  const ends = packagePlaces.comlink ?? []
  return ends
    .filter((path) => files.has(path))
    .filter((path) => !files.get(path)?.imports.some(({ specifier }) => specifier === 'comlink'))
    .map((path) => `${path} does not import comlink, though it is an end of the boundary`)
}

/** The file that a specifier means; `undefined` for a package. */
function resolveSpecifier(
  from: string,
  specifier: string,
  exists: (path: string) => boolean,
): string | undefined {
  const plain = specifier.replace(/[?#].*$/, '')
  const own = Object.hasOwn(ownExports, plain) ? ownExports[plain] : undefined
  if (own !== undefined) return own
  if (!/^(\.|\/)/.test(plain)) return undefined
  const path = plain.startsWith('/') ? plain.slice(1) : posix.join(posix.dirname(from), plain)
  const source = path.replace(/\.js$/, '.ts')
  return exists(source) ? source : path
}

/** `@scope/name/path` and `name/path` without the path; `node:` modules stay whole. */
function packageName(specifier: string): string {
  const parts = specifier.split('/')
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
}

function rowOf(path: string) {
  return directions.find(({ from }) => isBelow(path, from))
}

function isBelow(path: string, place: string): boolean {
  return place.endsWith('/') ? path.startsWith(place) : path === place
}
