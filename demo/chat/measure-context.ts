import { effect } from '@preact/signals'
import type { Tamp } from 'tamp'
import { contextRequest } from './context.ts'
import { codeOf, describeFailure } from './failure.ts'
import type { ChatState } from './state.ts'
import { limitOf } from './window.ts'

/** Keeps `state.measurement` up to date; an answer that a later change overtook is dropped. */
export function measureContext(state: ChatState, tamp: Tamp): void {
  let newest = 0
  effect(() => {
    const conversation = state.conversation.value
    const parts = { persona: state.persona.value, windowTokens: state.windowTokens.value }
    const request = contextRequest(conversation, state.sent.value, parts)
    newest += 1
    const asked = newest
    // Nothing was said and nothing sent, so nothing is used: the meter starts at zero.
    if (conversation.messages.length === 0) {
      state.measurement.value = undefined
      return
    }
    const options = { limitTokens: limitOf(parts.windowTokens), format: conversation.format }
    tamp.measure(request, options).then(
      (measured) => {
        if (asked === newest) state.measurement.value = measured
      },
      (error: unknown) => {
        // A lost engine has a notice of its own; the last measurement stays until there is another.
        const isOurs = asked === newest && codeOf(error) !== 'engine-lost'
        if (isOurs) state.failure.value = describeFailure(error)
      },
    )
  })
}
