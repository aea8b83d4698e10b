import { createServer, type ServerResponse } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import { loadRanks } from '../../src/engine/rank-loading.ts'
import { rankUrls } from '../../src/engine/rank-urls.ts'
import { localEngine } from '../../src/entries/local.ts'
import { createTamp } from '../../src/index.ts'
import { openCounter } from '../../src/tokens/bpe/open-counter.ts'
import { countersOver } from '../../src/tokens/counters.ts'
import { openai } from '../support/build.ts'
import { rankBytes } from '../support/rank-files.ts'

const url = 'https://app.example/ranks/o200k_base.bin'
const o200k = rankBytes('o200k_base')
const page = new TextEncoder().encode('<!doctype html><title>Not found</title>'.padEnd(4000, ' '))

function changed(at: number, value: number): Uint8Array {
  const bytes = o200k.slice()
  bytes[at] = value
  return bytes
}

describe('a rank file', () => {
  it.each([
    ['a page that is served in its place', page, 'it begins with "<!doctyp"'],
    ['nothing', new Uint8Array(), 'it begins with ""'],
    ['one of another version', changed(8, 9), 'it has version 9, 1 is read'],
    ['one of another encoding', rankBytes('cl100k_base'), 'it holds cl100k_base'],
    ['one of no encoding', changed(10, 7), 'it holds undefined'],
    ['one that is cut short', o200k.slice(0, 5000), `it has 5000 of ${o200k.length} bytes`],
  ])('is refused where it is %s', (_, bytes, cause) => {
    expect(() => openCounter('o200k_base', { bytes, url })).toThrow(
      expect.objectContaining({
        code: 'ranks-unavailable',
        message: `${url} is no rank file of o200k_base: ${cause}`,
        details: { encoding: 'o200k_base', url, cause },
      }),
    )
  })

  it('lies beside the library, or where the app says', () => {
    const urls = rankUrls({ cl100k_base: 'https://cdn.example/c.bin' })
    expect(urls.o200k_base).toMatch(/\/worker\/ranks\/o200k_base\.bin$/)
    expect(urls.cl100k_base).toBe('https://cdn.example/c.bin')
  })

  it('that is not there is told by its address', async () => {
    const gone = new URL('gone.bin', import.meta.url).href
    await expect(loadRanks('o200k_base', gone)).rejects.toMatchObject({
      code: 'ranks-unavailable',
      details: { encoding: 'o200k_base', url: gone, cause: expect.stringContaining('ENOENT') },
    })
  })
})

describe('a server', () => {
  const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
    '/refuses': (response) => response.writeHead(404).end('no'),
    '/stalls': (response) => response.write('tampRank'),
    '/serves': (response) => response.end(o200k),
  }
  const server = createServer((request, response) => answers[request.url ?? '']?.(response))
  const base = new Promise<string>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
    })
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  it('that serves the file is enough', async () => {
    const ranks = await loadRanks('o200k_base', `${await base}/serves`)
    expect(openCounter('o200k_base', ranks).count('hello world')).toBe(2)
  })

  it.each([
    ['refuses', 'status 404'],
    ['stalls', 'timeout'],
  ])('that %s is told of', async (name, cause) => {
    const url = `${await base}/${name}`
    await expect(loadRanks('o200k_base', url, 300)).rejects.toMatchObject({
      code: 'ranks-unavailable',
      details: { url, cause: expect.stringContaining(cause) },
    })
  })
})

describe('counters', () => {
  it('are made once, from one file', async () => {
    let loads = 0
    const counters = countersOver(async () => {
      loads++
      return { bytes: o200k }
    })
    const [one, two] = await Promise.all([counters.get('o200k_base'), counters.get('o200k_base')])
    expect(one).toBe(two)
    expect(one.count('hello world')).toBe(2)
    expect(loads).toBe(1)
  })

  it('are asked for again after a file that could not be had', async () => {
    const answers = [page, o200k]
    const counters = countersOver(async () => ({ bytes: answers.shift() ?? o200k }))
    await expect(counters.get('o200k_base')).rejects.toMatchObject({ code: 'ranks-unavailable' })
    expect((await counters.get('o200k_base')).count('hello world')).toBe(2)
  })
})

describe('an app without its rank files', () => {
  const request = { model: 'gpt-4o', messages: [openai.user('Is it there?')] }
  const lost = () => {
    const ranks: { o200k_base: Uint8Array } = { o200k_base: page }
    return { ranks, tamp: createTamp({ engine: localEngine({ ranks }), store: 'memory' }) }
  }

  it('is refused by name where it asks for a count', async () => {
    const { tamp } = lost()
    await expect(tamp.measure(request)).rejects.toMatchObject({ code: 'ranks-unavailable' })
    const fitting = tamp.fit(request, { limitTokens: 100 })
    await expect(fitting).rejects.toMatchObject({ code: 'ranks-unavailable' })
    await tamp.close()
  })

  it('sends what it prepares as it was, and keeps it, and is well once they are there', async () => {
    const { tamp, ranks } = lost()
    const chat = tamp.conversation('c')
    const turn = await chat.prepare(request)
    expect(turn.request).toBe(request)
    expect(turn.report).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('rank'),
    })
    await turn.settle({ message: openai.assistant('It is not.') })
    expect(await chat.transcript()).toHaveLength(2)
    ranks.o200k_base = o200k
    const messages = [...request.messages, openai.assistant('It is not.'), openai.user('And now?')]
    const next = await chat.prepare({ ...request, messages })
    expect(next.report).toMatchObject({ outcome: 'unchanged', counting: 'exact' })
    expect(await chat.transcript()).toHaveLength(3)
    await tamp.close()
  })
})

it('names of encodings that there are not are told at once', () => {
  // @ts-expect-error: what an app without types may write.
  expect(() => createTamp({ ranks: { p50k_base: '/p50k.bin' } })).toThrow(
    new TypeError('ranks names p50k_base; there are o200k_base and cl100k_base'),
  )
})
