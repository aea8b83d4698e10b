import { isDeepStrictEqual } from 'node:util'
import type { Check, Judged, Marks } from '../case-types.ts'
import { callsById, isRealUserMessage, type Native, resultsOf, spokenTexts } from '../native.ts'
import {
  addressOfImage,
  imagesOf,
  occurrences,
  parseJson,
  stringsIn,
  textsOfMessage,
  textsOfRequest,
} from '../texts.ts'

/** The whole text of the first real user message stands in one user message of the output. */
export const firstUserKept: Check = ({ input, output }) => {
  const first = input.messages.find(isRealUserMessage)
  const users = output.messages.filter((message) => message.role === 'user')
  if (first === undefined || users.some((user) => says(user, spokenTexts(first)))) return []
  return ['no user message holds the whole text of the first one']
}

/** The whole text of the last real user message stands in the last real user message of the output. */
export const lastUserKept: Check = ({ input, output }) => {
  const last = input.messages.findLast(isRealUserMessage)
  const kept = output.messages.findLast(isRealUserMessage)
  if (last === undefined || (kept !== undefined && says(kept, spokenTexts(last)))) return []
  return ['the last real user message does not hold the whole text of the last one']
}

function says(message: Native, texts: readonly string[]): boolean {
  const spoken = spokenTexts(message)
  return texts.every((text) => spoken.some((other) => other.includes(text)))
}

/** Results that begin so are no successes (SEEDS M19); used where the format has no error flag. */
const FAILURE = /^\s*(?:error:|traceback)/i

/** The newest successful read's result is there in full, unit for unit. */
export const newestResultKept: Check = ({ input, output, marks }) => {
  const calls = callsById(input.messages)
  const reads = input.messages.flatMap(resultsOf).filter((result) => {
    const isRead = marks.readTool.test(calls.get(result.callId)?.tool ?? '')
    return isRead && !result.isError && !FAILURE.test(result.texts[0] ?? '')
  })
  const newest = reads.at(-1)
  if (newest === undefined) return ['the case has no successful read']
  const kept = output.messages.flatMap(resultsOf).find((result) => result.callId === newest.callId)
  return isDeepStrictEqual(kept?.texts, newest.texts)
    ? []
    : [`the result of ${newest.callId} is not whole`]
}

/** Every image is there, unchanged. */
export const imagesKept: Check = ({ input, output }) => {
  const kept = output.messages.flatMap(imagesOf)
  return input.messages.flatMap(imagesOf).flatMap((image, index) => {
    return kept.some((other) => isDeepStrictEqual(other, image))
      ? []
      : [`image ${index} is gone or changed`]
  })
}

/** Characters of base64 data by which it is recognised in a request to the summary model. */
const DATA_SAMPLE = 64

/** An image that is gone left a note with its name, and no image data went to the summary model. */
export const noDanglingImages: Check = (judged) => {
  const { input, output, observed } = judged
  const kept = output.messages.flatMap(imagesOf)
  const notes = input.messages.flatMap((message) => {
    const gone = imagesOf(message).some(
      (image) => !kept.some((other) => isDeepStrictEqual(other, image)),
    )
    return gone && !hasNote(judged, nameIn(message))
      ? [`no note stands for ${nameIn(message) ?? 'an image'}`]
      : []
  })
  const samples = input.messages.flatMap(imagesOf).flatMap(addressOfImage).flatMap(dataSamples)
  const leaks = observed.summarizerRequests.flatMap((request, index) => {
    const leaked = samples.some(
      (sample) => request.prompt.includes(sample) || request.system.includes(sample),
    )
    return leaked ? [`summary request ${index} holds image data`] : []
  })
  return [...notes, ...leaks]
}

function hasNote({ output, marks }: Judged, name: string | undefined): boolean {
  return output.messages.some((message) => {
    const texts = textsOfMessage(message)
    const named = name === undefined || texts.some((text) => text.includes(name))
    return named && texts.some((text) => marks.imageNote.test(text))
  })
}

/** The name of an image is what its message calls it: formats of chats have no field for it. */
function nameIn(message: Native): string | undefined {
  return /[\w-]+\.(?:png|jpe?g|gif|webp)\b/i.exec(spokenTexts(message).join(' '))?.[0]
}

function dataSamples(address: string): string[] {
  const base64 = address.includes('base64,') ? (address.split('base64,')[1] ?? '') : address
  if (/^https?:/.test(address) || base64.length < DATA_SAMPLE) return []
  const middle = Math.floor((base64.length - DATA_SAMPLE) / 2)
  return [base64.slice(0, DATA_SAMPLE), base64.slice(middle, middle + DATA_SAMPLE)]
}

/**
 * A marker that points to another result finds it in the output, whole. One that finds nothing there must not
 * point forward, and must say how to get the original back.
 */
export const noDanglingPointers: Check = ({ input, output, marks }) => {
  const originals = input.messages.flatMap(resultsOf)
  const kept = output.messages.flatMap(resultsOf)
  const calls = callsById(input.messages)
  return kept.flatMap((result, at) => {
    const original = originals.find((other) => other.callId === result.callId)
    const text = result.texts.join('\n')
    if (original === undefined || isDeepStrictEqual(original.texts, result.texts)) return []
    if (!marks.forwardPointer.test(text)) {
      const isWhole = marks.wholeMarker.test(text)
      return isWhole && !marks.recovery.test(text)
        ? [`${result.callId} does not say how to get it back`]
        : []
    }
    const found = kept.slice(at + 1).some((later) => {
      const isWhole = originals.some((other) => isDeepStrictEqual(other, later))
      return isWhole && speaksFor(calls.get(later.callId), calls.get(result.callId))
    })
    return found ? [] : [`${result.callId} points to a later result that is not there in full`]
  })
}

type Call = ReturnType<typeof callsById> extends Map<string, infer C> ? C : never

/** The later call is about the same thing: one of its argument values is one of the earlier call's. */
function speaksFor(later: Call | undefined, earlier: Call | undefined): boolean {
  if (later === undefined || earlier === undefined) return false
  if (later.argumentsText === earlier.argumentsText) return true
  const values = new Set(stringsIn(parseJson(earlier.argumentsText)))
  return stringsIn(parseJson(later.argumentsText)).some((value) => values.has(value))
}

/** Where the summary model was called and the outcome is `compacted`, what it said is in the output. */
export const summaryPresent: Check = ({ expectation, observed, output }) => {
  if (observed.summaries.length === 0 || expectation.outcome !== 'compacted') return []
  const texts = textsOfRequest(output)
  const isThere = observed.summaries.some((summary) => {
    return summary.trim() !== '' && texts.some((text) => text.includes(summary.trim()))
  })
  return isThere ? [] : ['no text of the output holds what the summary model said']
}

/** In each compact step a text stays, or was part of what the summary model was given in that step. */
export const nothingVanishes: Check = ({ observed, marks }) => {
  if (observed.steps === undefined) return ['not observed: steps']
  return observed.steps.flatMap((step, index) => {
    const readable = [
      ...textsOfRequest(step.after),
      ...step.summarizerRequests.map((request) => request.prompt),
    ].join('\n')
    return textsOfRequest(step.before)
      .flatMap((text) => piecesOf(text, marks))
      .filter((text) => occurrences(readable, text) === 0 && text !== '')
      .map((text) => `step ${index} lost ${JSON.stringify(text.slice(0, 60))}`)
  })
}

/** A message that holds a checkpoint, taken apart: task, checkpoint and what was joined may go different ways. */
function piecesOf(text: string, { checkpointStart, checkpointEnd }: Marks): string[] {
  if (!text.includes(checkpointStart)) return [text]
  return text
    .split(checkpointStart)
    .flatMap((piece) => piece.split(checkpointEnd))
    .map((piece) => piece.trim())
}

/** Everything removed or shortened can be read back in full, unit for unit. */
export const originalsRetained: Check = ({ input, output, observed }) => {
  const archive = observed.archive
  if (archive === undefined) return ['not observed: archive']
  const known = new Set([...archive, ...textsOfRequest(output)])
  return textsOfRequest(input)
    .filter((text) => !known.has(text))
    .map((text) => `${JSON.stringify(text.slice(0, 60))} cannot be read back`)
}

/** The input is as it was, also as a restart finds it. */
export const inputUntouched: Check = ({ observed, isDeferred }) => {
  const isSame = isDeepStrictEqual(observed.inputAfter, observed.inputBefore)
  const changed = isSame ? [] : ['the input was changed']
  if (isDeferred('input-untouched:restart')) return changed
  if (observed.storedAfterRestart === undefined)
    return [...changed, 'not observed: storedAfterRestart']
  const isStored = isDeepStrictEqual(
    observed.storedAfterRestart.messages,
    observed.inputBefore.messages,
  )
  return isStored ? changed : [...changed, 'a restart finds other messages']
}
