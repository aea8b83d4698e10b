import { describe, expect, test } from 'vitest'
import { createSimulator } from '../../demo/simulator/simulator.ts'
import { chatRequest, post, quarterCount, toolNamed, user } from './chat-request.ts'

interface Chunk {
  readonly choices: readonly {
    readonly delta: {
      readonly role?: string
      readonly content?: string | null
      readonly tool_calls?: readonly {
        readonly index: number
        readonly id?: string
        readonly function: { readonly name?: string; readonly arguments: string }
      }[]
    }
    readonly finish_reason: string | null
  }[]
  readonly usage?: { readonly total_tokens: number } | null
}

async function chunksOf(response: Response): Promise<readonly Chunk[]> {
  const events = (await response.text()).split('\n\n').filter((event) => event !== '')
  expect(events.every((event) => event.startsWith('data: '))).toBe(true)
  expect(events.at(-1)).toBe('data: [DONE]')
  return events.slice(0, -1).map((event) => JSON.parse(event.slice('data: '.length)))
}

const body = { model: 'sim-chat', messages: [user('The port is 7443.')], stream: true }

describe('a streamed answer', () => {
  test('comes word by word and ends with its reason', async () => {
    const response = await post(body)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const chunks = await chunksOf(response)
    const deltas = chunks.map((chunk) => chunk.choices[0]?.delta.content)
    expect(deltas).toEqual(['', 'Noted: ', '“The ', 'port ', 'is ', '7443.”', undefined])
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop')
  })

  test('reports usage in a last chunk of its own when asked', async () => {
    const chunks = await chunksOf(await post({ ...body, stream_options: { include_usage: true } }))
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true)
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 12 + 7 } })
  })

  test('streams parallel calls with their arguments in pieces', async () => {
    const tools = [toolNamed('list_files'), toolNamed('run_tests'), toolNamed('read_file')]
    const messages = [user('Read src/invoice.js and src/discount.js')]
    const request = { model: 'sim-agent', messages, tools, stream: true }
    const deltas = (await chunksOf(await post(request))).flatMap(
      (chunk) => chunk.choices[0]?.delta.tool_calls ?? [],
    )
    const first = deltas.filter((delta) => delta.index === 0)
    const second = deltas.filter((delta) => delta.index === 1)
    expect(first[0]).toMatchObject({ function: { name: 'read_file', arguments: '' } })
    expect(first.length).toBeGreaterThan(2)
    expect(first.map((delta) => delta.function.arguments).join('')).toBe(
      '{"path":"src/invoice.js"}',
    )
    expect(second.map((delta) => delta.function.arguments).join('')).toBe(
      '{"path":"src/discount.js"}',
    )
    expect(first[0]?.id).not.toBe(second[0]?.id)
  })

  test('waits as the injected clock says', async () => {
    const waits: number[] = []
    const wait = async (milliseconds: number) => {
      waits.push(milliseconds)
    }
    await (await post(body, { wait, firstPieceMs: 300, pieceMs: 20 })).text()
    expect(waits[0]).toBe(300)
    expect(new Set(waits.slice(1))).toEqual(new Set([20]))
  })

  test('ends with the reason of an abort', async () => {
    const controller = new AbortController()
    const simulate = createSimulator({ windowTokens: 8192, countTokens: quarterCount })
    const response = await simulate(chatRequest(body, { signal: controller.signal }))
    const reader = response.body?.getReader()
    await reader?.read()
    controller.abort(new Error('stopped by the user'))
    const rest = async () => {
      while (!(await reader?.read())?.done);
    }
    await expect(rest()).rejects.toThrow('stopped by the user')
  })

  test('an aborted request is not answered', async () => {
    const simulate = createSimulator({ windowTokens: 8192, countTokens: quarterCount })
    const request = chatRequest(body, { signal: AbortSignal.abort(new Error('too late')) })
    await expect(simulate(request)).rejects.toThrow('too late')
  })
})
