import { failureLines, nextCalls } from './agent-plan.ts'
import { type AgentTurn, type DoneCall, readAgentTurn } from './agent-turn.ts'
import { answerFromPayload, wordingOf } from './chat-persona.ts'
import type { Persona, PlannedCall } from './persona.ts'

/** The most lines that the answer quotes from one result. */
const quotedLines = 8

/** `sim-agent`: works with the tools that the request offers and answers from their results. */
export const agentPersona: Persona = (request, marks) => {
  const turn = readAgentTurn(request, marks)
  const calls = nextCalls(turn)
  return calls.length > 0
    ? { text: announce(calls, request.seed), calls }
    : { text: conclude(turn, request.seed), calls: [] }
}

const nextSteps = ['Next', 'I go on with', 'Now'] as const

function announce(calls: readonly PlannedCall[], seed = 0): string {
  const steps = calls.map(({ tool, input }) =>
    `\`${tool}\` ${Object.values(input).join(' ')}`.trim(),
  )
  return `${wordingOf(nextSteps, seed)}: ${steps.join(', then ')}.`
}

function conclude({ done, payload }: AgentTurn, seed = 0): string {
  if (done.length === 0) return answerFromPayload(payload, seed)
  const run = done.find((call) => call.tool === 'run_tests')
  return run === undefined ? reportLookup(done) : reportTests(run, done)
}

function reportTests(run: DoneCall, done: readonly DoneCall[]): string {
  const failures = failureLines(run.result)
  if (failures.length === 0) {
    return 'The test log that reached me shows no failure line, so I cannot name one.'
  }
  const read = done.filter((call) => call.tool === 'read_file').map((call) => inputOf(call))
  const closing = read.length > 0 ? [`I have read ${read.join(' and ')} for it.`] : []
  return ['The test run reports:', fence(failures), ...closing].join('\n\n')
}

function reportLookup(done: readonly DoneCall[]): string {
  return done
    .flatMap((call) => [`\`${call.tool}\` ${inputOf(call)} gave:`, fence(call.result.split('\n'))])
    .join('\n\n')
}

function fence(lines: readonly string[]): string {
  const more = lines.length - quotedLines
  const rest = more > 0 ? [`(${more} more lines)`] : []
  return ['```', ...lines.slice(0, quotedLines), ...rest, '```'].join('\n')
}

function inputOf(call: DoneCall): string {
  const text = Object.values(call.input)
    .map(String)
    .filter((value) => value !== '')
    .join(' ')
  return text === '' ? '' : `\`${text}\``
}
