import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

const readme = readFileSync('README.md', 'utf8')
const examples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code ?? '')

/** Below the root, so that `tamp` is found as a consumer finds it. Git ignores the folder. */
const folder = 'test-results/readme'

describe('the README', () => {
  beforeAll(() => {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    for (const [index, code] of examples.entries()) {
      writeFileSync(`${folder}/example-${index}.ts`, `${code}\nexport {}\n`)
    }
    const config = { extends: '../../tsconfig.json', include: ['*.ts'] }
    writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(config))
  })

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('has examples', () => {
    expect(examples.length).toBeGreaterThan(0)
  })

  test('shows first an example of ten lines', () => {
    const lines = (examples[0] ?? '').split('\n').filter((line) => line.trim() !== '')
    expect(lines.length).toBe(10)
  })

  test('has examples that pass the type check', () => {
    const run = () =>
      execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', folder], {
        encoding: 'utf8',
      })
    expect(outputOf(run)).toBe('')
  }, 60_000)

  test('has a first example that runs and fits the request', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    await import(/* @vite-ignore */ `${process.cwd()}/${folder}/example-0.ts`)
    const [outcome, tokensBefore, tokensAfter] = log.mock.calls[0] ?? []
    log.mockRestore()
    expect(outcome).toBe('compacted')
    expect(tokensBefore).toBeGreaterThan(2_000)
    expect(tokensAfter).toBeLessThanOrEqual(2_000)
  }, 60_000)

  test('names only commands that exist, and all of them', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
    const named = [...readme.matchAll(/npm (?:run )?([a-z:0-9]+)/g)].map(([, name]) => name)
    expect([...new Set(named)].sort()).toEqual(Object.keys(scripts).sort())
  })

  test('names only files that exist', () => {
    const named = [...readme.matchAll(/`([A-Z]+\.md)`/g)].map(([, name]) => name ?? '')
    for (const name of named) expect(() => readFileSync(name)).not.toThrow()
  })
})

/** What a command printed, whether it passed or failed. */
function outputOf(run: () => string): string {
  try {
    return run()
  } catch (error) {
    // Safe: a failed command throws an error that carries its output.
    return (error as { stdout: string }).stdout
  }
}
