import { effect } from '@preact/signals'
import type { Tamp } from 'tamp'
import { codeOf, describeFailure } from './failure.ts'
import { historyOf } from './path.ts'
import { buildRequest, type ChatRequestBody } from './request.ts'
import { type ChatState, settingsOf } from './state.ts'

/**
 * Keeps `state.measurement` up to date with whatever a request is made from: messages, model, window and the
 * compaction in force. An answer that a later change overtook is dropped.
 */
export function measureContext(state: ChatState): () => void {
  let newest = 0
  return effect(() => {
    const { value: conversation } = state.conversation
    const history = historyOf(state.path.value)
    const settings = settingsOf(state)
    // Undo and redo leave the messages as they are and change what stands for them.
    state.compactions.value
    newest += 1
    const asked = newest
    // Nothing was said and nothing sent, so nothing is used: the meter starts at zero.
    if (history.length === 0) {
      state.measurement.value = undefined
      state.isMeasuring.value = false
      return
    }
    state.isMeasuring.value = true
    const request = buildRequest(settings, history)
    conversation.measure(request, { format: settings.about.format }).then(
      (measured) => {
        if (asked !== newest) return
        state.measurement.value = measured
        state.isMeasuring.value = false
      },
      (error: unknown) => {
        if (asked !== newest) return
        state.isMeasuring.value = false
        // A lost engine has a notice of its own; the last measurement stays until there is another.
        if (codeOf(error) !== 'engine-lost') state.failure.value = describeFailure(error)
      },
    )
  })
}

/** Counts a request with nothing left out. The report of its compaction begins where the one before ended. */
export async function countHistory(
  state: ChatState,
  tamp: Pick<Tamp, 'measure'>,
  full: ChatRequestBody,
): Promise<number | undefined> {
  try {
    const { totalTokens } = await tamp.measure(full, { format: state.about.value.format })
    return totalTokens
  } catch (error) {
    // A lost engine has a notice of its own.
    if (codeOf(error) !== 'engine-lost') state.failure.value = describeFailure(error)
    return undefined
  }
}
