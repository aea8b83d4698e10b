import { isDeepStrictEqual } from 'node:util'
import type { Check, Judged } from '../case-types.ts'
import { isRealUserMessage, resultsById, resultsOf, spokenTexts } from '../native.ts'
import { parseJson, stringsIn, textsOfRequest } from '../texts.ts'
import { partsOf } from './size.ts'

/** Where text was left out a marker says, with a number, that something is missing. */
export const omissionsMarked: Check = (judged) => {
  return [...unmarkedResults(judged), ...unmarkedUserTexts(judged), ...unmarkedMessages(judged)]
}

function unmarkedResults({ input, output, marks }: Judged): string[] {
  const originals = resultsById(input.messages)
  return output.messages.flatMap(resultsOf).flatMap((result) => {
    const before = originals.get(result.callId)?.texts.join('\n') ?? ''
    const after = result.texts.join('\n')
    // A marker that points to a later copy leaves nothing out: no-dangling-pointers judges it.
    const isPointer = marks.wholeMarker.test(after) && marks.forwardPointer.test(after)
    if (after.includes(before) || isPointer || marks.omission.test(after)) return []
    return [`the result of ${result.callId} was shortened without a number`]
  })
}

/** Characters of a text's start by which a shortened copy of it is recognised. */
const RECOGNISED_BY = 24

function unmarkedUserTexts({ input, output, marks }: Judged): string[] {
  const after = output.messages.filter((message) => message.role === 'user').flatMap(spokenTexts)
  return input.messages
    .filter(isRealUserMessage)
    .flatMap(spokenTexts)
    .filter((text) => text.length > RECOGNISED_BY && !after.some((other) => other.includes(text)))
    .flatMap((text) => {
      const copies = after.filter((other) => other.includes(text.slice(0, RECOGNISED_BY)))
      const unmarked = copies.length > 0 && !copies.some((copy) => marks.omission.test(copy))
      return unmarked ? [`${JSON.stringify(text.slice(0, 40))} was shortened without a number`] : []
    })
}

/** Whole messages that are gone leave a checkpoint, or a marker with a number. */
function unmarkedMessages({ input, output, marks }: Judged): string[] {
  const texts = textsOfRequest(output)
  const isMarked = texts.some(
    (text) => text.includes(marks.checkpointStart) || marks.omission.test(text),
  )
  const isFewer = output.messages.length < input.messages.length
  return isFewer && !isMarked ? ['messages are gone and nothing says so'] : []
}

/** A result that parsed before still parses, unless its whole text became a marker. */
export const jsonStaysJson: Check = ({ input, output, marks }) => {
  const originals = resultsById(input.messages)
  return output.messages.flatMap(resultsOf).flatMap((result) => {
    const before = originals.get(result.callId)?.texts.join('\n') ?? ''
    const after = result.texts.join('\n')
    if (parseJson(before) === undefined || parseJson(after) !== undefined) return []
    return marks.wholeMarker.test(after) ? [] : [`the result of ${result.callId} no longer parses`]
  })
}

const LONE_SURROGATE = /\p{Surrogate}/u

/** No lone surrogate in the output, in a request to the summary model or in the archive. */
export const wellFormedUnicode: Check = ({ output, observed }) => {
  const places: readonly (readonly [string, unknown])[] = [
    ['the output', partsOf(output)],
    ['a summary request', observed.summarizerRequests],
    ['the archive', observed.archive ?? []],
  ]
  return places
    .filter(([, value]) => stringsIn(value).some((text) => LONE_SURROGATE.test(text)))
    .map(([place]) => `${place} holds a lone surrogate`)
}

/** Compacting the output again changes nothing and asks no model; so does each pass on its own result. */
export const idempotent: Check = ({ output, observed, isDeferred }) => {
  return [
    ...secondRunProblems(output, observed),
    ...(isDeferred('idempotent:passes') ? [] : passProblems(observed)),
  ]
}

function secondRunProblems(output: Judged['output'], { secondRun }: Judged['observed']): string[] {
  if (secondRun === undefined) return ['not observed: secondRun']
  const calls = secondRun.summarizerCalls
  const isSame =
    secondRun.output !== undefined && isDeepStrictEqual(partsOf(secondRun.output), partsOf(output))
  return [
    ...(isSame ? [] : ['a second run gives another output']),
    ...(calls === 0 ? [] : [`a second run calls the summary model ${calls} times`]),
  ]
}

function passProblems({ passReruns }: Judged['observed']): string[] {
  if (passReruns === undefined) return ['not observed: passReruns']
  return passReruns
    .filter((rerun) => rerun.changedParts > 0)
    .map((rerun) => `${rerun.pass} changes ${rerun.changedParts} parts of its own result`)
}
