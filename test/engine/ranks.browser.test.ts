import { describe, expect, it } from 'vitest'
import { createTamp, type Tamp, type TampOptions } from '../../src/index.ts'
import { chat } from './conformance.ts'

async function withTamp(options: TampOptions, work: (tamp: Tamp) => Promise<void>): Promise<void> {
  const worker = () =>
    new Worker(new URL('../../worker/worker.ts', import.meta.url), { type: 'module' })
  const tamp = createTamp({ worker, store: 'memory', ...options })
  try {
    await work(tamp)
  } finally {
    await tamp.close()
  }
}

describe('the rank files of a worker', () => {
  it.each([
    ['a file that is none', '/package.json', 'it begins with'],
    ['nothing', 'http://127.0.0.1:9/gone.bin', ''],
  ])('are told by their address where there is %s', async (_, url, cause) => {
    await withTamp({ ranks: { o200k_base: url } }, async (tamp) => {
      await expect(tamp.measure(chat(1))).rejects.toMatchObject({
        code: 'ranks-unavailable',
        details: { url: new URL(url, location.href).href, cause: expect.stringContaining(cause) },
      })
      const counted = await tamp.measure({ model: 'gpt-4', ...chat(1) })
      expect(counted).toMatchObject({ counting: 'exact' })
    })
  })

  it('may lie elsewhere than beside the library', async () => {
    const url = new URL('/worker/ranks/o200k_base.bin?elsewhere', location.href)
    await withTamp({ ranks: { o200k_base: url } }, async (tamp) => {
      expect((await tamp.measure(chat(1))).totalTokens).toBeGreaterThan(50)
    })
  })

  it('that cannot be had do not keep a request from being sent', async () => {
    await withTamp({ ranks: { o200k_base: '/package.json' } }, async (tamp) => {
      const request = chat(1)
      const turn = await tamp.conversation('c').prepare(request)
      expect(turn.request).toBe(request)
      expect(turn.report.outcome).toBe('failed')
    })
  })
})
