import { describe, expect, it } from 'vitest'
import { blocksOf, callsOf, type Native, resultsOf } from './native.ts'
import { hasShared } from './shared-data.ts'
import { type ManifestRow, readExchanges, readManifest, readTranscripts } from './transcripts.ts'

describe.skipIf(!hasShared('data/transcripts'))('readers of transcripts', () => {
  const manifest = readManifest()
  const transcripts = readTranscripts()
  const rowOf = (file: string): ManifestRow => {
    const row = manifest.find((other) => other.file === file)
    if (row === undefined) throw new RangeError(`the manifest does not name ${file}`)
    return row
  }

  it('find every conversation of the two formats', () => {
    const wanted =
      /^(?:claude-code-jsonl|tau-bench-results|api-exchange-jsonl\/(?:anthropic|openai-chat))/
    const files = manifest.filter((row) => wanted.test(row.format)).map((row) => row.file)
    const read = new Set(transcripts.map((transcript) => transcript.name.split('#')[0]))
    expect([...read].sort()).toEqual([...files, 'swe-agent-function-calling.traj.json'].sort())
  })

  const sessions = transcripts.filter((transcript) => transcript.name.startsWith('claude-code-'))
  it.each(sessions.map((session) => [session.name, session] as const))(
    '%s has the calls, thinking and orphans of its manifest row',
    (name, { request }) => {
      const { toolCalls, features } = rowOf(name)
      const calls = request.messages.flatMap(callsOf).map((call) => call.callId)
      const results = request.messages.flatMap(resultsOf).map((result) => result.callId)
      expect(calls).toHaveLength(toolCalls)
      expect(blocksOfType(request.messages, 'thinking')).toHaveLength(
        Number(features.thinking ?? 0),
      )
      expect(blocksOfType(request.messages, 'image')).toHaveLength(Number(features.images ?? 0))
      expect(calls.filter((id) => !results.includes(id))).toHaveLength(
        Number(features.orphanCalls ?? 0),
      )
      expect(results.filter((id) => !calls.includes(id))).toHaveLength(
        Number(features.orphanResults ?? 0),
      )
    },
  )

  it.each(sessions.map((session) => [session.name, session] as const))(
    '%s has each result behind the turn that made its call',
    (_name, { request }) => {
      const turnOfCall = new Map(
        request.messages.flatMap((message, index) =>
          callsOf(message).map((call) => [call.callId, index]),
        ),
      )
      const early = request.messages.flatMap((message, index) =>
        resultsOf(message).filter((result) => (turnOfCall.get(result.callId) ?? -1) > index),
      )
      expect(early).toEqual([])
    },
  )

  it('merge the lines of a response into the parallel turns of the manifest', () => {
    const parallel = sessions.map(({ name, request }) => [
      name,
      request.messages.filter((message) => callsOf(message).length > 1).length,
    ])
    const counted = sessions.map(({ name }) => [
      name,
      Number(rowOf(name).features.parallelTurns ?? 0),
    ])
    expect(parallel).toEqual(counted)
  })

  it('read the 21 dialogues of tau-bench with all messages and results', () => {
    const dialogues = transcripts.filter(({ name }) => name.startsWith('tau-bench'))
    const row = rowOf('tau-bench-airline-gpt-4o.json')
    const messages = dialogues.flatMap(({ request }) => request.messages)
    expect(dialogues).toHaveLength(Number(row.features.conversations))
    expect(messages).toHaveLength(row.messages)
    expect(messages.flatMap(callsOf)).toHaveLength(row.toolCalls)
  })

  it('read the calls of SWE-agent with a result each', () => {
    const [run] = transcripts.filter(({ name }) => name.startsWith('swe-agent'))
    const row = rowOf('swe-agent-function-calling.traj.json')
    const messages = run?.request.messages ?? []
    expect(messages).toHaveLength(row.messages)
    const calls = messages.flatMap(callsOf).map((call) => call.callId)
    expect(calls).toHaveLength(row.toolCalls)
    expect(messages.flatMap(resultsOf).map((result) => result.callId)).toEqual(calls)
  })

  it.each([
    'api-anthropic-messages.jsonl',
    'api-openai-chat.jsonl',
    'api-openai-compatible-chat.jsonl',
  ])('read the exchanges of %s', (file) => {
    const exchanges = readExchanges(file)
    const row = rowOf(file)
    expect(exchanges).toHaveLength(Number(row.features.requests))
    const messages = exchanges.flatMap(({ request }) => request.messages)
    // The manifest counts the results of tools that the provider runs itself as well.
    const hosted = messages
      .flatMap(blocksOf)
      .filter((block) => /[a-z]_tool_result$/.test(String(block.type)))
    expect([...messages.flatMap(resultsOf), ...hosted]).toHaveLength(row.toolCalls)
  })
})

function blocksOfType(messages: readonly Native[], type: string): Native[] {
  return messages.flatMap(blocksOf).filter((block) => block.type === type)
}
