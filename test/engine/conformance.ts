import { describe, expect, it } from 'vitest'
import { createTamp, type Engine, type Summarizer, TampError } from '../../src/index.ts'
import type { Native } from '../support/native.ts'

/** A chat of `turns` answers, well over the limits that the suite uses. */
export function chat(turns = 30): { readonly messages: Native[] } {
  const turn = (n: number) => [
    { role: 'assistant', content: `Answer ${n}: the gate number ${n} was looked at. `.repeat(6) },
    { role: 'user', content: `Question ${n}: what of gate ${n}?` },
  ]
  const middle = Array.from({ length: turns }, (_, n) => turn(n)).flat()
  return {
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Remember that the deploy key is K-4217. Check the gates.' },
      ...middle,
    ],
  }
}

/** What every engine promises, run on each of them. */
export function engineConformance(name: string, makeEngine: () => Engine): void {
  describe(name, () => {
    const withTamp = async <T>(
      work: (tamp: ReturnType<typeof createTamp>) => Promise<T>,
      summarizer?: Summarizer,
    ): Promise<T> => {
      const tamp = createTamp({ engine: makeEngine(), ...(summarizer ? { summarizer } : {}) })
      try {
        return await work(tamp)
      } finally {
        await tamp.close()
      }
    }

    it('fits a chat without a model, and the facts of the task stay', async () => {
      const { request, report } = await withTamp((tamp) => tamp.fit(chat(), { limitTokens: 900 }))
      expect(report).toMatchObject({ outcome: 'compacted', summary: { source: 'extractive' } })
      expect(report.tokensAfter).toBeLessThanOrEqual(900)
      expect(JSON.stringify(request.messages)).toContain('K-4217')
    })

    it('gives back the very same object where nothing is due', async () => {
      const request = chat(2)
      const fitted = await withTamp((tamp) => tamp.fit(request, { limitTokens: 50_000 }))
      expect(fitted.request).toBe(request)
    })

    it('keeps the messages that no edit touches the same objects', async () => {
      const request = chat()
      const fitted = await withTamp((tamp) => tamp.fit(request, { limitTokens: 900 }))
      expect(fitted.request.messages.at(-1)).toBe(request.messages.at(-1))
      expect(fitted.request.messages[0]).toBe(request.messages[0])
    })

    it('asks the summarizer on this side and goes on with its answer', async () => {
      const { report } = await withTamp(
        (tamp) => tamp.fit(chat(), { limitTokens: 900 }),
        async () => 'The gates 0 to 20 were looked at; nothing was found in them.',
      )
      expect(report).toMatchObject({ outcome: 'compacted', summary: { source: 'function' } })
      expect(report.summarizerCalls).toBe(1)
    })

    it('answers a measurement while a summary is being made', async () => {
      let finish = (_: string): void => {}
      const answer = new Promise<string>((resolve) => {
        finish = resolve
      })
      await withTamp(
        async (tamp) => {
          const fitting = tamp.fit(chat(), { limitTokens: 900 })
          const { totalTokens } = await tamp.measure(chat(1))
          expect(totalTokens).toBeGreaterThan(50)
          finish('The gates were looked at, one after the other.')
          expect((await fitting).report.outcome).toBe('compacted')
        },
        () => answer,
      )
    })

    it('gives back errors of its own with code and numbers', async () => {
      const failing = withTamp((tamp) => tamp.fit(chat(), { limitTokens: 12 }))
      await expect(failing).rejects.toMatchObject({
        code: 'cannot-fit',
        details: { limitTokens: 12 },
      })
      await expect(failing).rejects.toBeInstanceOf(TampError)
    })

    it('refuses what no provider could read, with the path', async () => {
      const cyclic: Record<string, unknown> = { role: 'user' }
      cyclic.content = [cyclic]
      const bad: readonly (readonly [object, string])[] = [
        [{ messages: 'no' }, 'messages'],
        [{ messages: [cyclic] }, 'messages[0].content[0]'],
        [{ messages: [{ role: 'wizard', content: 'hi' }] }, 'messages[0].role'],
        [{ messages: [{ role: 'tool', content: 'hi' }] }, 'messages[0].tool_call_id'],
        [{ messages: [{ role: 'user', content: [10n] }] }, 'messages[0].content[0]'],
      ]
      await withTamp(async (tamp) => {
        for (const [request, path] of bad) {
          const failing = tamp.fit(request, { limitTokens: 100, format: 'openai-chat' })
          const wanted = { code: 'invalid-conversation', details: { path } }
          await expect(failing).rejects.toMatchObject(wanted)
        }
      })
    })

    it('passes on lone surrogates, __proto__ keys and functions as JSON would', async () => {
      const request = {
        messages: [
          { role: 'user', content: 'half \ud83d of an emoji', onClick: () => {} },
          JSON.parse('{"role":"assistant","content":"hi","__proto__":{"polluted":true}}'),
          { role: 'user', content: 'and?' },
        ],
      }
      const fitted = await withTamp((tamp) =>
        tamp.fit(request, { limitTokens: 1000, format: 'openai-chat' }),
      )
      expect(fitted.request).toBe(request)
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    })

    it("rejects with the signal's reason, before and while it works", async () => {
      const reason = new Error('changed my mind')
      const before = withTamp((tamp) =>
        tamp.fit(chat(), { limitTokens: 900, signal: AbortSignal.abort(reason) }),
      )
      await expect(before).rejects.toBe(reason)
      const abort = new AbortController()
      const during = withTamp((tamp) => {
        const fitting = tamp.fit(chat(2000), { limitTokens: 900, signal: abort.signal })
        setTimeout(() => abort.abort(reason), 1)
        return fitting
      })
      await expect(during).rejects.toBe(reason)
    })

    it('settles every pending call when it is closed', async () => {
      const tamp = createTamp({ engine: makeEngine() })
      await tamp.ready
      const fitting = tamp.fit(chat(2000), { limitTokens: 900 })
      await tamp.close()
      await expect(fitting).rejects.toMatchObject({ code: 'engine-lost' })
      await expect(tamp.fit(chat(1), { limitTokens: 900 })).rejects.toMatchObject({
        code: 'engine-lost',
      })
    })
  })
}
