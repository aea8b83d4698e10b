import type { Edit } from '../core/edit.ts'
import { mediaRemovedMarker } from '../core/marker.ts'
import { definePass, rewriteIfSmaller } from '../core/pass.ts'

/**
 * Puts a note in place of images and files that a model's answer already followed (KNOWN-FAILURES D25).
 *
 * before: user → screenshot.png, text … assistant → answer
 * after:  user → `[no longer attached: image "screenshot.png"; attach it again to show it]`, text …
 *
 * Does nothing in the tail and for protected parts: the task's and the newest user message's media stay.
 */
export const dropStaleMedia = definePass({
  name: 'drop-stale-media',
  defaults: {},
  run: (view, _options, context): readonly Edit[] =>
    view.units.flatMap((unit) =>
      context.isTail(unit)
        ? []
        : unit.parts.flatMap((part) => {
            if (part.type !== 'media' || context.isProtected(part)) return []
            const text = mediaRemovedMarker(part.mediaType, part.name)
            return rewriteIfSmaller(
              dropStaleMedia.name,
              'media of an earlier turn',
              part,
              text,
              context,
            )
          }),
    ),
})
