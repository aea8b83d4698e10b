import type { Conversation, TampOptions } from '../../src/index.ts'
import type { Device } from '../conversation/conformance.ts'
import type { CaseFile } from '../support/case-files.ts'
import type { CaseInput, CaseStep, Observed, ObservedStep } from '../support/case-types.ts'
import { isRecord, type Native, type NativeRequest } from '../support/native.ts'
import { textsOfRequest } from '../support/texts.ts'
import { asRequest, type CaseRequest, optionsOf, partsOf } from './case-request.ts'
import { rerunPasses } from './rerun-passes.ts'
import { type ScriptedSummarizer, scriptedSummarizer } from './scripted-summarizer.ts'
import { readTriggers } from './triggers.ts'

/**
 * Counted exactly whatever the format is: with a model whose tokenizer is not known a conversation keeps a margin of
 * 10 %, and the limits of the cases have no room for it.
 */
const COUNTED_MODEL = 'gpt-4o'

/** The limit is the whole window: nothing is kept for an answer (README of the cases). */
function roomOf(limitTokens: number): TampOptions {
  return { window: limitTokens, reserveTokens: 0 }
}

/** A case on its way through a conversation. */
interface Run {
  readonly input: CaseInput
  /** The request with all that the script appends. */
  readonly whole: CaseRequest
  readonly conversation: Conversation
  readonly script: ScriptedSummarizer
}

/**
 * Runs a case through a conversation on a device, with its script of appends and compactions where it has one. Gives
 * back everything that can be seen of it, then and after a restart: in another tab, from what was stored alone.
 */
export async function runInConversation(
  { input, expectation }: CaseFile,
  device: Device,
): Promise<Observed> {
  const whole = wholeRequest(input)
  const inputBefore = structuredClone(partsOf(whole))
  const script = scriptedSummarizer(expectation.summarizer)
  const { limitTokens } = expectation
  const options = {
    ...optionsOf(expectation),
    ...roomOf(limitTokens),
    summarizer: script.summarizer,
  }
  const tab = device.openTab(options)
  const seen = await runScript({ input, whole, script, conversation: tab.conversation('case') })
  await tab.close()
  const restarted = device.openTab(options).conversation('case')
  return {
    ...seen,
    summaries: script.texts,
    inputBefore,
    inputAfter: partsOf(whole),
    triggers: readTriggers(expectation),
    ...(await storedIn(restarted, whole)),
    ...(seen.output
      ? await secondRun({ input, whole, script, conversation: restarted }, seen.output)
      : {}),
    passReruns: rerunPasses(input, new Set((seen.report?.steps ?? []).map((step) => step.name))),
  }
}

function wholeRequest(input: CaseInput): CaseRequest {
  const appended = (input.then ?? []).flatMap((step) => step.append ?? [])
  const messages = [...input.messages, ...appended]
  return { ...asRequest(input), model: COUNTED_MODEL, messages }
}

/** A case without a script is one that compacts what is there. */
const DEFAULT_SCRIPT: readonly CaseStep[] = [{ compact: true }]

async function runScript(run: Run) {
  const { input, script } = run
  let length = input.messages.length
  let sent: NativeRequest = { ...run.whole, messages: run.whole.messages.slice(0, length) }
  let report: Awaited<ReturnType<typeof compactNow>>['report'] | undefined
  const steps: ObservedStep[] = []
  try {
    for (const { append = [], compact } of input.then ?? DEFAULT_SCRIPT) {
      length += append.length
      sent = { ...sent, messages: [...sent.messages, ...append] }
      if (!compact) continue
      const before = sent
      const asked = script.requests.length
      const done = await compactNow(run, length)
      sent = done.request
      report = done.report
      steps.push({ before, after: sent, summarizerRequests: script.requests.slice(asked) })
    }
    return { output: partsOf(sent), report, steps, summarizerRequests: [...script.requests] }
  } catch (error) {
    return { output: undefined, error, steps, summarizerRequests: [...script.requests] }
  }
}

async function compactNow({ input, whole, conversation }: Run, length: number) {
  const request = { ...whole, messages: whole.messages.slice(0, length) }
  return conversation.prepare(request, { format: input.format })
}

/** What was sent is handed in again, as an app does that keeps it in the place of its history. */
async function secondRun(
  { input, whole, script, conversation }: Run,
  output: NativeRequest,
): Promise<Pick<Observed, 'secondRun'>> {
  const asked = script.requests.length
  const request = { ...whole, ...output }
  const again = await conversation.prepare(request, { format: input.format })
  const summarizerCalls = script.requests.length - asked
  return { secondRun: { output: partsOf(again.request), summarizerCalls } }
}

/** What a restart finds. The system messages in front are the app's own and are not part of a conversation. */
async function storedIn(
  conversation: Conversation,
  { messages }: CaseRequest,
): Promise<Pick<Observed, 'storedAfterRestart' | 'archive'>> {
  const leading = messages.findIndex(({ role }) => role !== 'system')
  const path = (await conversation.transcript()).map(({ message }) => message as Native) // as it came
  return {
    storedAfterRestart: { messages: [...messages.slice(0, leading), ...path] },
    archive: textsOfFile(await conversation.export()),
  }
}

/** Every text of every message in an exported file. */
function textsOfFile(file: string): readonly string[] {
  const { entries } = JSON.parse(file) as { readonly entries: readonly unknown[] } // Tamp's own file
  const natives = entries.filter(isRecord).map(({ native }) => native)
  return textsOfRequest({ messages: natives.filter(isRecord) })
}
