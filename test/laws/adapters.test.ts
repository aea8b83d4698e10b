import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adapterFor } from '../../src/adapters/index.ts'
import { readRequest } from '../../src/adapters/read-request.ts'
import { applyEdits, composeEdits, type Edit } from '../../src/core/edit.ts'
import { type Part, textOf, type View } from '../../src/core/model.ts'
import {
  conversations,
  type GeneratedConversation,
  lawParameters,
  lawTimeoutMs,
} from '../support/generate.ts'

const both = fc.oneof(conversations({ mode: 'legal' }), conversations({ mode: 'damaged' }))

function onAny(name: string, check: (made: GeneratedConversation, view: View) => void): void {
  it(
    name,
    () => {
      fc.assert(
        fc.property(both, (made) => {
          check(made, readRequest(adapterFor(made.request, made.format), made.request).view)
        }),
        lawParameters,
      )
    },
    lawTimeoutMs,
  )
}

function rewrite(part: Part, text: string): Edit {
  return {
    type: 'rewrite',
    seq: part.seq,
    part: part.index,
    text,
    pass: 'test',
    reason: 'law',
    tokensBefore: 0,
    tokensAfter: 0,
  }
}

const write = ({ request, format }: GeneratedConversation, view: View) =>
  adapterFor(request, format).write(request, view)

describe('adapters and edits', () => {
  onAny('give back the very request where there is no edit', (made, view) => {
    expect(write(made, applyEdits(view, []))).toBe(made.request)
  })

  onAny('give back equal messages where every text is rewritten to itself', (made, view) => {
    const parts = view.units.flatMap((unit) => unit.parts)
    const edits = parts
      .filter((part) => part.type === 'text' && part.text.trim() !== '')
      .map((part) => rewrite(part, textOf(part)))
    expect(write(made, applyEdits(view, edits)).messages).toEqual(made.request.messages)
  })

  onAny('keep every message that no edit touches the same object', (made, view) => {
    const target = view.units.find((unit) => unit.parts.some((part) => part.type === 'text'))
    const part = target?.parts.find((candidate) => candidate.type === 'text')
    if (!target || !part) return
    const written = write(made, applyEdits(view, [rewrite(part, 'new text')])).messages
    const native = new Set<unknown>(made.request.messages)
    native.delete(target.native)
    for (const message of native) expect(written).toContain(message)
    expect(written.filter((message) => !native.has(message))).toHaveLength(1)
  })

  onAny('apply two batches in one as one after the other', (_, view) => {
    const parts = view.units.flatMap((unit) => unit.parts).filter((part) => part.type === 'text')
    const first = parts.filter((_, index) => index % 2 === 0).map((part) => rewrite(part, 'first'))
    const second = parts
      .filter((_, index) => index % 3 === 0)
      .map((part) => rewrite(part, 'second'))
    const together = applyEdits(view, composeEdits(first, second))
    for (const unit of together.units) {
      for (const part of unit.parts) {
        const at = parts.findIndex((other) => other.seq === part.seq && other.index === part.index)
        if (at === -1) continue
        const wanted = at % 3 === 0 ? 'second' : at % 2 === 0 ? 'first' : textOf(part.was ?? part)
        expect(textOf(part)).toBe(wanted)
      }
    }
  })

  onAny('have edits that survive structuredClone', (made, view) => {
    const edits = view.units
      .flatMap((unit) => unit.parts)
      .filter((part) => part.type === 'tool-result')
      .map((part) => rewrite(part, 'short'))
    const [one, two] = [edits, structuredClone(edits)].map((batch) =>
      write(made, applyEdits(view, batch)),
    )
    expect(two).toEqual(one)
  })
})
