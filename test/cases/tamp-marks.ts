import { CHECKPOINT_END, CHECKPOINT_START } from '../../src/core/marker.ts'
import type { Marks } from '../support/case-types.ts'
import { plainMarks } from '../support/marks.ts'

/** The marks that Tamp leaves. What they must say is judged by plain words, not by Tamp's own patterns. */
export const tampMarks: Marks = {
  ...plainMarks,
  checkpointStart: CHECKPOINT_START,
  checkpointEnd: CHECKPOINT_END,
  fences: (prompt) =>
    prompt.match(/<\/?(?:recording|exact-strings|earlier-checkpoint)\b[^>]*>/g) ?? [],
}
