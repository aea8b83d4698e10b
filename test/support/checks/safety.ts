import type { Check, Judged } from '../case-types.ts'
import { type Native, resultsOf, textsOfContent } from '../native.ts'
import { textsOfRequest } from '../texts.ts'

/** Characters around a delimiter in the data by which its unescaped copy is recognised. */
const NEIGHBOURHOOD = 12

/** In a request to the summary model each delimiter occurs only where the library put it. */
export const fenceHolds: Check = ({ input, observed, marks }) => {
  const data = [...textsOfRequest(input), ...observed.summaries]
  return observed.summarizerRequests.flatMap((request, index) => {
    const delimiters = new Set(marks.fences(request.prompt))
    if (delimiters.size < 2) return [`summary request ${index} has no fence`]
    return [...delimiters].flatMap((delimiter) => {
      const copies = data.flatMap((text) => surroundings(text, delimiter))
      const spelled = copies.some((copy) => request.prompt.includes(copy))
      return spelled ? [`summary request ${index}: the data spells ${delimiter}`] : []
    })
  })
}

function surroundings(text: string, delimiter: string): string[] {
  const found: string[] = []
  for (let at = text.indexOf(delimiter); at !== -1; at = text.indexOf(delimiter, at + 1)) {
    found.push(text.slice(Math.max(0, at - NEIGHBOURHOOD), at + delimiter.length + NEIGHBOURHOOD))
  }
  return found
}

/** Shortest line of a result that is looked for elsewhere; shorter ones occur by chance. */
const SHORTEST_LINE = 24

/** No text of a result stands in a system message, or in a user message outside a block marked as data. */
export const untrustedNotPromoted: Check = (judged) => {
  const lines = untrustedLines(judged)
  return trustedTexts(judged).flatMap(({ place, text }) => {
    const promoted = lines.find((line) => text.includes(line))
    return promoted === undefined
      ? []
      : [`${place} holds ${JSON.stringify(promoted.slice(0, 60))} of a result`]
  })
}

function untrustedLines({ input }: Judged): string[] {
  const said = [input.system, ...input.messages.filter(isTrusted).map((message) => message.content)]
    .flatMap(textsOfContent)
    .join('\n')
  return input.messages
    .flatMap(resultsOf)
    .flatMap((result) => result.texts)
    .flatMap((text) => text.split('\n'))
    .map((line) => line.trim())
    .filter((line) => line.length >= SHORTEST_LINE && !said.includes(line))
}

function isTrusted(message: Native): boolean {
  return message.role === 'system' || message.role === 'developer' || message.role === 'user'
}

function trustedTexts({ output, marks }: Judged): { place: string; text: string }[] {
  const system = textsOfContent(output.system).map((text) => ({ place: 'the system text', text }))
  const messages = output.messages.filter(isTrusted).map((message) => ({
    place: `a ${String(message.role)} message`,
    // Joined first: a block may begin in one part and end in another.
    text: outsideBlocks(textsOfContent(message.content).join('\n'), marks),
  }))
  return [...system, ...messages]
}

/** The text without its marked blocks. A block ends at the first end mark: what spells one early is outside. */
function outsideBlocks(text: string, { checkpointStart, checkpointEnd }: Judged['marks']): string {
  const [before = '', ...blocks] = text.split(checkpointStart)
  const rests = blocks.map((block) => {
    const end = block.indexOf(checkpointEnd)
    return end === -1 ? block : block.slice(end + checkpointEnd.length)
  })
  return [before, ...rests].join('\n')
}
