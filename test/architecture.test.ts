import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { architectureFaults } from './support/architecture.ts'
import { readSource, type SourceFacts } from './support/imports.ts'

const governed = ['src', 'worker', 'demo']
const isSource = (path: string) => /\.[cm]?[jt]sx?$/.test(path)

function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`)
}

function foldersPresent(folders: readonly string[]): string[] {
  const present = readdirSync('.')
  return folders.filter((folder) => present.includes(folder))
}

describe('the directions of this repository', () => {
  const paths = foldersPresent(governed).flatMap(filesBelow)
  const sources = new Map(
    paths.filter(isSource).map((path) => [path, readSource(path, readFileSync(path, 'utf8'))]),
  )

  test('files were found', () => {
    expect([...sources.keys()]).toContain('src/core/model.ts')
  })

  test('hold for every import', () => {
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
    const others = new Set(paths.filter((path) => !isSource(path)))
    expect(architectureFaults(sources, Object.keys(dependencies), others)).toEqual([])
  })

  test('no file of tests and scripts has the name of a drawer', () => {
    const named = foldersPresent(['test', 'e2e', '.ci']).flatMap(filesBelow)
    expect(named.filter((path) => /\/(utils?|helpers?|common)[./]/.test(path))).toEqual([])
  })
})

/** Files that exist in the made-up repository beside the one under test. */
const neighbours = [
  'src/core/model.ts',
  'src/passes/index.ts',
  'src/tokens/counter.ts',
  'src/adapters/index.ts',
  'src/engine/engine.ts',
  'src/engine/local.ts',
  'src/compactor.ts',
  'src/entries/local.ts',
  'worker/worker.ts',
  'demo/simulator/model.ts',
  'test/support/build.ts',
]

function faultsOf(files: Readonly<Record<string, string>>): string[] {
  const sources = new Map<string, SourceFacts>()
  for (const path of neighbours) sources.set(path, readSource(path, ''))
  for (const [path, text] of Object.entries(files)) sources.set(path, readSource(path, text))
  return architectureFaults(sources, ['comlink'], new Set(['worker/ranks/o200k_base.bin']))
}

const forbidden: readonly [name: string, path: string, text: string, fault?: string][] = [
  [
    'a leaf that imports another leaf',
    'src/passes/a.ts',
    `import { x } from '../tokens/counter.ts'`,
  ],
  ['a type-only import', 'src/passes/a.ts', `import type { X } from '../tokens/counter.ts'`],
  ['a type among values', 'src/passes/a.ts', `import { type X } from '../tokens/counter.ts'`],
  ['an import for its effect', 'src/passes/a.ts', `import '../tokens/counter.ts'`],
  ['a re-export of names', 'src/passes/a.ts', `export { x } from '../tokens/counter.ts'`],
  ['a re-export of all', 'src/passes/a.ts', `export * from '../tokens/counter.ts'`],
  ['a re-export under a name', 'src/passes/a.ts', `export * as t from '../tokens/counter.ts'`],
  ['a re-export of types', 'src/passes/a.ts', `export type { X } from '../tokens/counter.ts'`],
  ['a dynamic import', 'src/passes/a.ts', `const x = import('../tokens/counter.ts')`],
  ['a dynamic import in a template', 'src/passes/a.ts', 'const x = import(`../tokens/counter.ts`)'],
  [
    'a computed dynamic import',
    'src/passes/a.ts',
    `const x = (p: string) => import(p)`,
    'computed',
  ],
  ['an import in a type', 'src/passes/a.ts', `type X = import('../tokens/counter.ts').X`],
  ['typeof an import', 'src/passes/a.ts', `type X = typeof import('../tokens/counter.ts')`],
  ['import with require', 'src/passes/a.ts', `import x = require('../tokens/counter.ts')`],
  ['require', 'src/passes/a.ts', `const x = require('../tokens/counter.ts')`],
  ['a reference', 'src/passes/a.ts', `/// <reference path="../tokens/counter.ts" />`],
  ['a URL', 'src/passes/a.ts', `const u = new URL('../tokens/counter.ts', import.meta.url)`],
  [
    'a URL with the built name',
    'src/passes/a.ts',
    `new URL('../tokens/counter.js', import.meta.url)`,
  ],
  [
    'a URL below globalThis',
    'src/passes/a.ts',
    `new globalThis.URL('../compactor.ts', import.meta.url)`,
  ],
  [
    'a computed URL',
    'src/passes/a.ts',
    `const u = (p: string) => new URL(p, import.meta.url)`,
    'computed',
  ],
  ['import.meta.resolve', 'src/passes/a.ts', `import.meta.resolve('../tokens/counter.ts')`],
  ['import.meta.glob', 'src/passes/a.ts', `import.meta.glob('../tokens/*.ts')`, 'computed'],
  ['a query behind the name', 'src/passes/a.ts', `import x from '../tokens/counter.ts?raw'`],
  ['a path from the root', 'src/passes/a.ts', `import { x } from '/src/tokens/counter.ts'`],
  [
    'a way through a comment',
    'src/passes/a.ts',
    `import /* from './b.ts' */ x from '../compactor.ts'`,
  ],
  [
    'an import after a regular expression',
    'src/passes/a.ts',
    `/'/; import('../compactor.ts'); /'/`,
  ],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the hole is the source under test.
  ['an import in a hole', 'src/passes/a.ts', '`${import("../compactor.ts")}`'],
  ['our own name', 'src/passes/a.ts', `import { createTamp } from 'tamp/local'`],
  [
    'a file that is not there',
    'src/passes/a.ts',
    `import { x } from './gone.ts'`,
    'does not exist',
  ],
  ['a leaf that imports upwards', 'src/adapters/a.ts', `import { x } from '../compactor.ts'`],
  ['the core that imports a leaf', 'src/core/a.ts', `import { x } from '../passes/index.ts'`],
  ['the core with a package', 'src/core/a.ts', `import x from 'gpt-tokenizer'`],
  [
    'the core with a promise',
    'src/core/a.ts',
    `export const x = Promise.resolve(1)`,
    'uses Promise',
  ],
  [
    'the core with a promise as a type',
    'src/core/a.ts',
    `export type X = Promise<void>`,
    'uses Promise',
  ],
  ['the core that awaits', 'src/core/a.ts', `export async function x() {}`, 'is asynchronous'],
  ['the core with a clock', 'src/core/a.ts', `export const now = () => Date.now()`, 'uses Date'],
  ['the core with a shorthand global', 'src/core/a.ts', `export const x = { fetch }`, 'uses fetch'],
  [
    'the core with chance',
    'src/core/a.ts',
    `export const x = () => crypto.randomUUID()`,
    'uses crypto',
  ],
  ['the compactor with the engine', 'src/compactor.ts', `import { x } from './engine/local.ts'`],
  ['the fetch with a pass', 'src/fetch.ts', `import { x } from './passes/index.ts'`],
  [
    'the index with the engine',
    'src/index.ts',
    `export { x } from './engine/local.ts'`,
    'reaches what belongs',
  ],
  ['the engine that imports upwards', 'src/engine/a.ts', `import { x } from '../compactor.ts'`],
  [
    'the remote end with a leaf',
    'src/engine/remote.ts',
    `import 'comlink'; import '../passes/index.ts'`,
  ],
  ['the demo that looks inside', 'demo/a.tsx', `import { x } from '../src/core/model.ts'`],
  ['the demo with the local engine', 'demo/a.tsx', `import { localEngine } from 'tamp/local'`],
  [
    'the demo between texts',
    'demo/a.tsx',
    `const x = <p>it's {import('../src/compactor.ts')} isn't</p>`,
  ],
  [
    'src that imports the demo',
    'src/entries/a.ts',
    `import { x } from '../../demo/simulator/model.ts'`,
  ],
  ['src that imports tests', 'src/entries/a.ts', `import { x } from '../../test/support/build.ts'`],
  ['a third place with comlink', 'src/engine/a.ts', `import * as Comlink from 'comlink'`],
  ['an end without comlink', 'worker/serve.ts', `export const x = 1`, 'does not import comlink'],
  [
    'a rank file elsewhere',
    'src/tokens/a.ts',
    `new URL('../../worker/ranks/o200k_base.bin', import.meta.url)`,
  ],
  [
    'the tokenizer elsewhere',
    'src/passes/a.ts',
    `import { encode } from 'gpt-tokenizer/encoding/o200k_base'`,
  ],
  ['a development package', 'src/engine/a.ts', `import { test } from 'vitest'`, 'no dependency'],
  ['a module of Node', 'src/engine/a.ts', `import { readFile } from 'node:fs'`, 'no dependency'],
  [
    'a folder without a row',
    'src/extras/a.ts',
    `import { x } from '../core/model.ts'`,
    'in no row',
  ],
  ['a drawer', 'src/passes/utils.ts', '', 'the name of a drawer'],
  ['a drawer that is a folder', 'demo/helpers/a.ts', '', 'the name of a drawer'],
]

const allowed: readonly [string, string, string][] = [
  ['a leaf and the core', 'src/passes/a.ts', `import type { Unit } from '../core/model.ts'`],
  ['a leaf and itself', 'src/passes/a.ts', `import { passes } from './index.ts'`],
  ['an import in a comment', 'src/passes/a.ts', `// import '../tokens/counter.ts'`],
  ['an import in a text', 'src/passes/a.ts', `const x = "import('../tokens/counter.ts')"`],
  [
    'the core with a member of that name',
    'src/core/a.ts',
    `export const x = (y: { Date: 1 }) => y.Date`,
  ],
  ['the engine with leaves', 'src/engine/local.ts', `import { passes } from '../passes/index.ts'`],
  [
    'the tokenizer in its place',
    'demo/simulator/a.ts',
    `import 'gpt-tokenizer/encoding/o200k_base'`,
  ],
  [
    'the rank files in their place',
    'src/engine/rank-urls.ts',
    `new URL('../../worker/ranks/o200k_base.bin', import.meta.url)`,
  ],
  [
    'the remote end',
    'src/engine/remote.ts',
    `import 'comlink'; new Worker(new URL('../../worker/worker.js', import.meta.url))`,
  ],
  [
    'the worker with the engine',
    'worker/serve.ts',
    `import 'comlink'; import '../src/engine/local.ts'`,
  ],
  ['the demo with its own packages', 'demo/a.tsx', `import { render } from 'preact'`],
]

describe('the table itself', () => {
  test.each(forbidden)('catches %s', (_name, path, text, fault = 'must not import') => {
    expect(faultsOf({ [path]: text }).join()).toContain(fault)
  })

  test.each(allowed)('lets pass %s', (_name, path, text) => {
    expect(faultsOf({ [path]: text })).toEqual([])
  })

  test('lets the demo import the public surface', () => {
    const index = { 'src/index.ts': '' }
    expect(faultsOf({ ...index, 'demo/a.tsx': `import { createTamp } from 'tamp'` })).toEqual([])
  })

  test('catches the engine behind two files on the way from the index', () => {
    const faults = faultsOf({
      'src/index.ts': `export { a } from './entries/a.ts'`,
      'src/entries/a.ts': `export { b } from './b.ts'`,
      'src/entries/b.ts': `export type { L } from '../engine/local.ts'`,
    })
    expect(faults).toEqual([
      'the page reaches what belongs in the worker: ' +
        'src/index.ts → src/entries/a.ts → src/entries/b.ts → src/engine/local.ts',
    ])
  })

  test('catches the tokenizer on the page', () => {
    const faults = faultsOf({ 'src/index.ts': `export { x } from './tokens/counter.ts'` })
    expect(faults).toEqual([
      'the page reaches what belongs in the worker: src/index.ts → src/tokens/counter.ts',
    ])
  })

  test('refuses a file that does not parse', () => {
    expect(() => readSource('src/a.ts', 'import { from')).toThrow('does not parse')
  })
})
