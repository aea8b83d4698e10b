import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adapterFor } from '../../src/adapters/index.ts'
import { readRequest } from '../../src/adapters/read-request.ts'
import { applyEdits, type Edit } from '../../src/core/edit.ts'
import { taskPosition } from '../../src/core/exchange.ts'
import { legalCuts } from '../../src/core/invariant.ts'
import type { View } from '../../src/core/model.ts'
import { defaultInvariants } from '../../src/invariants/index.ts'
import {
  conversations,
  type GeneratedConversation,
  lawParameters,
  lawTimeoutMs,
} from '../support/generate.ts'
import { refusals } from '../support/oracle.ts'

function removalsBefore(view: View, cut: number): readonly Edit[] {
  const task = taskPosition(view)
  return view.units
    .filter((_, position) => position < cut && position !== task)
    .map((unit) => ({
      type: 'remove',
      seq: unit.seq,
      pass: 'test',
      reason: 'cut',
      tokensBefore: 0,
      tokensAfter: 0,
    }))
}

/** What the provider says of the request that is left when everything but the task goes before a position. */
function refusedAt({ format, request }: GeneratedConversation, view: View, cut: number): boolean {
  const written = adapterFor(request, format).write(
    request,
    applyEdits(view, removalsBefore(view, cut)),
  )
  return refusals(format, written).length > 0
}

function forEachCut(
  name: string,
  check: (made: GeneratedConversation, view: View, cut: number, isLegal: boolean) => void,
): void {
  it(
    name,
    () => {
      fc.assert(
        fc.property(conversations({ result: 400, speech: 200 }), (made) => {
          const { view } = readRequest(adapterFor(made.request, made.format), made.request)
          const legal = legalCuts(view, defaultInvariants)
          expect(legal).toHaveLength(view.units.length + 1)
          for (let cut = taskPosition(view) + 1; cut < view.units.length; cut++) {
            check(made, view, cut, legal[cut] === true)
          }
        }),
        lawParameters,
      )
    },
    lawTimeoutMs,
  )
}

describe('the cut law', () => {
  forEachCut(
    'M1 is sound: after a legal cut the provider accepts what is left',
    (made, view, cut, isLegal) => {
      if (isLegal) expect(refusedAt(made, view, cut), `cut ${cut}`).toBe(false)
    },
  )

  forEachCut(
    'M1 is complete: where no cut is legal the provider would refuse',
    (made, view, cut, isLegal) => {
      if (!isLegal) expect(refusedAt(made, view, cut), `cut ${cut}`).toBe(true)
    },
  )
})
