import type { AgentTurn, DoneCall } from './agent-turn.ts'
import { contentWords, isQuestion, sentencesOf } from './facts.ts'
import type { PlannedCall } from './persona.ts'
import { recall } from './recall.ts'

/** The most files that one step reads at once. */
const filesAtOnce = 2

const pathPattern = /(?<![\w/.-])(?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:js|ts|json|md|txt|log)\b/gu

/**
 * Gives back the next calls of the agent, or none when it can answer.
 *
 * Each line of the plan looks only at the question and at the results that arrived, so that the same
 * payload always leads to the same step.
 */
export function nextCalls(turn: AgentTurn): readonly PlannedCall[] {
  const { asked } = turn.payload
  const wanted = /\b(tests?|failing|fails?|bugs?|fix|broken)\b/iu.test(asked)
    ? repairSteps(turn)
    : lookupSteps(turn)
  return wanted.filter((call) => turn.offered.has(call.tool) && !wasDone(turn.done, call))
}

function repairSteps({ done }: AgentTurn): readonly PlannedCall[] {
  const run = done.find((call) => call.tool === 'run_tests')
  if (run === undefined) {
    return [
      { tool: 'list_files', input: { path: '' } },
      { tool: 'run_tests', input: {} },
    ]
  }
  if (done.some((call) => call.tool === 'read_file')) return grepForName(done)
  return readFiles(pathsIn(failureLines(run.result).join('\n')))
}

/** The lines of a test log that tell of a failure. */
export function failureLines(log: string): readonly string[] {
  return log
    .split('\n')
    .filter((line) => /\bFAIL\b|✗|AssertionError|\bexpected\b|^\s+at\s/iu.test(line))
    .map((line) => line.trim())
}

function grepForName(done: readonly DoneCall[]): readonly PlannedCall[] {
  const run = done.find((call) => call.tool === 'run_tests')
  const name = /\bat (?:async )?(\w+) \(/u.exec(run?.result ?? '')?.[1]
  const wasGrepped = done.some((call) => call.tool === 'grep')
  return name === undefined || wasGrepped ? [] : [{ tool: 'grep', input: { pattern: name } }]
}

function lookupSteps({ payload, done }: AgentTurn): readonly PlannedCall[] {
  const { asked, facts } = payload
  const paths = pathsIn(asked)
  if (paths.length > 0) return readFiles(paths)
  if (/\b(list|which|what) (all )?(the )?files\b/iu.test(asked)) {
    return [{ tool: 'list_files', input: { path: '' } }]
  }
  const grepped = done.find((call) => call.tool === 'grep')
  if (grepped !== undefined) return readFiles(pathsIn(grepped.result).slice(0, 1))
  const question = sentencesOf(asked).find(isQuestion)
  if (recall(facts, question ?? asked).length > 0 && done.length === 0 && !asksForCode(asked))
    return []
  const pattern = searchWord(asked)
  return pattern === undefined ? [] : [{ tool: 'grep', input: { pattern } }]
}

function asksForCode(asked: string): boolean {
  return /\b(find|where|grep|search|code|function|repo)\b|`/iu.test(asked)
}

function searchWord(asked: string): string | undefined {
  const quoted = /[`"“']([\w.-]{2,})[`"”']/u.exec(asked)?.[1]
  const identifier = /\b[a-z]+[A-Z]\w+|\b\w+_\w+/u.exec(asked)?.[0]
  if (quoted ?? identifier) return quoted ?? identifier
  const skipped = new Set([
    'find',
    'grep',
    'search',
    'code',
    'function',
    'repo',
    'look',
    'use',
    'list',
  ])
  const words = [...contentWords(asked)].filter((word) => !skipped.has(word))
  return words.toSorted((one, other) => other.length - one.length)[0]
}

function pathsIn(text: string): readonly string[] {
  return [...new Set(text.match(pathPattern) ?? [])]
}

function readFiles(paths: readonly string[]): readonly PlannedCall[] {
  return paths.slice(0, filesAtOnce).map((path) => ({ tool: 'read_file', input: { path } }))
}

function wasDone(done: readonly DoneCall[], call: PlannedCall): boolean {
  const input = JSON.stringify(call.input)
  return done.some((made) => made.tool === call.tool && JSON.stringify(made.input) === input)
}
