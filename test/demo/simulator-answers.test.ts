import { describe, expect, test } from 'vitest'
import { assistant, calling, post, quarterCount, reply, result, user } from './chat-request.ts'

const told = user('We move on Friday. The deploy key is amber-otter-7731. Odile owns the ledger.')

describe('sim-chat answers from the payload alone', () => {
  test('quotes what the user said', async () => {
    const { content } = await reply([told, assistant('Noted.'), user('What is the deploy key?')])
    expect(content).toBe('You told me: “The deploy key is amber-otter-7731.”')
  })

  test('forgets what is not in the payload', async () => {
    const { content } = await reply([user('What is the deploy key?')])
    expect(content).toBe(
      'I was not told that (deploy, key): nothing in the request I received says so.',
    )
  })

  test('does not take its own words for facts', async () => {
    const claim = assistant('The deploy key is wrong-1.')
    const { content } = await reply([user('Hello.'), claim, user('What is the deploy key?')])
    expect(content).toContain('I was not told')
  })

  test('does not take a system text for a fact', async () => {
    const system = { role: 'system' as const, content: 'The deploy key is hidden-2.' }
    const { content } = await reply([system, user('What is the deploy key?')])
    expect(content).toContain('I was not told')
  })

  test('names a summary as the source, and reads the question that shares its message', async () => {
    const folded =
      '[summary]\n- The deploy key is amber-otter-7731.\n[end]\n\nWhat is the deploy key?'
    const { content } = await reply(
      [user(folded)],
      {},
      {
        summaryMarks: { start: '[summary]', end: '[end]' },
      },
    )
    expect(content).toBe(
      'The summary of our earlier conversation says: “The deploy key is amber-otter-7731.”',
    )
  })

  test('names a tool result as the source', async () => {
    const messages = [
      user('Look it up.'),
      calling(['call_a', 'grep']),
      result('call_a', 'deploy key = amber-otter-7731'),
      user('What is the deploy key?'),
    ]
    expect((await reply(messages)).content).toBe(
      'A tool result says: “deploy key = amber-otter-7731”',
    )
  })

  test('a shared word is no answer', async () => {
    const { content } = await reply([
      user('The deploy is on Friday.'),
      user('What is the vault key?'),
    ])
    expect(content).toContain('I was not told')
  })

  test('answers each of two questions', async () => {
    const { content } = await reply([told, user('Who owns the ledger? What is the deploy key?')])
    expect(content).toBe(
      'You told me: “Odile owns the ledger.”\n\nYou told me: “The deploy key is amber-otter-7731.”',
    )
  })

  test('reads a language without spaces', async () => {
    const { content } = await reply([user('配置密钥是琥珀水獭。'), user('配置密钥是什么？')])
    expect(content).toBe('You told me: “配置密钥是琥珀水獭。”')
  })

  test('acknowledges what is no question', async () => {
    expect((await reply([user('The port is 7443.')])).content).toBe('Noted: “The port is 7443.”')
  })
})

test('cuts an answer at the output cap and says so', async () => {
  const body = {
    model: 'sim-chat',
    messages: [told, user('What is the deploy key?')],
    max_tokens: 4,
  }
  const response = await (await post(body)).json()
  expect(response.choices[0].finish_reason).toBe('length')
  expect(response.choices[0].message.content).toBe('You told me: ')
  expect(response.usage.completion_tokens).toBe(4)
})

test('reports the tokens that it counted', async () => {
  const response = await (
    await post({ model: 'sim-chat', messages: [user('The port is 7443.')] })
  ).json()
  const completion = quarterCount('Noted: “The port is 7443.”')
  expect(response.usage).toEqual({
    prompt_tokens: 3 + 1 + 5 + 3,
    completion_tokens: completion,
    total_tokens: 12 + completion,
  })
})

test('equal requests get equal bytes', async () => {
  const body = { model: 'sim-chat', messages: [told, user('What is the deploy key?')] }
  const [one, other] = await Promise.all([post(body), post(body)])
  expect(await one.text()).toBe(await other.text())
})

describe('the seed of a request', () => {
  const ask = (seed: number) => post({ model: 'sim-chat', messages: [told], seed })
  const textOf = async (response: Response) => (await response.json()).choices[0].message.content

  test('chooses the wording, the same one each time', async () => {
    expect(await textOf(await ask(1))).toMatch(/^Understood: /)
    expect(await textOf(await ask(1))).toBe(await textOf(await ask(1)))
    expect(await textOf(await ask(2))).toMatch(/^I have that: /)
    expect(await textOf(await ask(3))).toMatch(/^Noted: /)
  })
})

test('a model may be called after its window', async () => {
  expect((await reply([told], { model: 'sim-chat-8k' })).content).toMatch(/^Noted: /)
  await expect(reply([told], { model: 'sim-chat-huge' })).rejects.toThrow('model_not_found')
})
