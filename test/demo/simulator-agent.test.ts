import { expect, test } from 'vitest'
import { repoTools, runRepoTool } from '../../demo/repo/tools.ts'
import type { ChatMessage, ToolCall } from '../../demo/simulator/protocol.ts'
import { reply, result, toolNamed, user } from './chat-request.ts'

/** Lets the agent work until it answers; the page does the same. */
async function work(task: string, tools = repoTools) {
  const messages: ChatMessage[] = [user(task)]
  const steps: string[][] = []
  for (;;) {
    const message = await reply(messages, { model: 'sim-agent', tools }, { windowTokens: 60_000 })
    messages.push(message)
    if (message.tool_calls === undefined)
      return { steps, answer: String(message.content), messages }
    const calls: readonly ToolCall[] = message.tool_calls
    steps.push(calls.map((call) => `${call.function.name} ${call.function.arguments}`))
    messages.push(...calls.map(runCall))
  }
}

function runCall({ id, function: called }: ToolCall): ChatMessage {
  return result(id, runRepoTool(called.name, called.arguments))
}

test('finds out why the tests fail, in parallel where it can', async () => {
  const { steps, answer } = await work('Why do the tests fail?')
  expect(steps).toEqual([
    ['list_files {"path":""}', 'run_tests {}'],
    ['read_file {"path":"test/invoice.test.js"}', 'read_file {"path":"src/discount.js"}'],
    ['grep {"pattern":"discountedNet"}'],
  ])
  expect(answer).toContain('FAIL test/invoice.test.js > a school pays whole cents')
})

test('reads the file that it is asked for', async () => {
  const { steps, answer } = await work('Read docs/rounding.md')
  expect(steps).toEqual([['read_file {"path":"docs/rounding.md"}']])
  expect(answer).toContain('signed this off in ticket BILL-208')
})

test('looks a name up and reads where it stands', async () => {
  const { steps } = await work('Where is `formatCents`?')
  expect(steps).toEqual([['grep {"pattern":"formatCents"}'], ['read_file {"path":"src/money.js"}']])
})

test('calls only the tools that the request offers', async () => {
  const { steps } = await work('Why do the tests fail?', [toolNamed('list_files')])
  expect(steps).toEqual([['list_files {"path":""}']])
})

test('answers from what it was told without a tool', async () => {
  const told = user('The deploy key is amber-otter-7731.')
  const message = await reply([told, user('What is the deploy key?')], {
    model: 'sim-agent',
    tools: repoTools,
  })
  expect(message.content).toBe('You told me: “The deploy key is amber-otter-7731.”')
})

test('admits that a squashed log no longer shows the failure', async () => {
  const calls = [
    { id: 'call_1', type: 'function' as const, function: { name: 'run_tests', arguments: '{}' } },
  ]
  const messages = [
    user('Why do the tests fail?'),
    { role: 'assistant' as const, content: null, tool_calls: calls },
    result('call_1', '(the log was left out)'),
  ]
  const message = await reply(messages, { model: 'sim-agent', tools: [toolNamed('run_tests')] })
  expect(message.content).toBe(
    'The test log that reached me shows no failure line, so I cannot name one.',
  )
})

test('a tool that does not exist or lacks its arguments answers with an error', () => {
  expect(runRepoTool('fly', '{}')).toBe('Error: there is no tool named fly.')
  expect(runRepoTool('read_file', '{"path":"__proto__"}')).toBe('Error: no such file: __proto__')
  expect(runRepoTool('grep', '[')).toBe('Error: the arguments are no JSON object.')
})
