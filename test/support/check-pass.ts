import { expect } from 'vitest'
import { adapterFor } from '../../src/adapters/index.ts'
import { readRequest } from '../../src/adapters/read-request.ts'
import { applyEdits, type Edit } from '../../src/core/edit.ts'
import { newViolations, violations } from '../../src/core/invariant.ts'
import { keepSetOf } from '../../src/core/keep.ts'
import { textOf, type View } from '../../src/core/model.ts'
import { configurePasses, type Pass, type PassContext, toolLookup } from '../../src/core/pass.ts'
import { finished } from '../../src/core/sliced.ts'
import { defaultRefusalPrefixes, defaultTools, type ToolTable } from '../../src/core/tools.ts'
import { defaultInvariants } from '../../src/invariants/index.ts'
import { tokenCounter } from '../../src/tokens/counter.ts'
import { partCounter } from '../../src/tokens/parts.ts'
import type { Native } from './native.ts'

/** What a pass is tried on; each field but the messages has a default. */
export interface PassCase {
  readonly messages: readonly Native[]
  readonly format?: 'openai-chat' | 'anthropic-messages'
  readonly options?: object
  readonly tools?: ToolTable
  /** Default 0: no tail but the newest step. */
  readonly keepRecentTokens?: number
  /** No tail at all, the newest step included. */
  readonly noTail?: boolean
  readonly refusalPrefixes?: readonly string[]
}

/** What a pass did. */
export interface PassRun {
  readonly changed: number
  readonly messages: readonly Native[]
  /** Texts of results, oldest first. */
  readonly results: readonly string[]
}

/**
 * Runs one pass and asserts what every pass promises (STYLE 33): same result again, nothing on a second run over
 * its own result, protected parts untouched, tokens never up, invariants kept, inputs not mutated, edits that
 * survive `structuredClone`.
 */
export function checkPass(pass: Pass, run: PassCase): PassRun {
  const request = { messages: run.messages, max_tokens: 1 }
  const before = structuredClone(request)
  const adapter = adapterFor(request, run.format ?? 'openai-chat')
  const { view } = readRequest(adapter, request)
  const context = contextOf(view, run)
  const [configured] = configurePasses([pass], { [pass.name]: run.options })
  const edits = configured?.run(view, context) ?? []
  expect(configured?.run(view, context)).toEqual(edits)
  const after = applyEdits(view, structuredClone(edits))
  expect(after).toEqual(applyEdits(view, edits))
  expect(configured?.run(after, contextOf(after, run))).toEqual([])
  expect(request).toEqual(before)
  expect(after.units.map((unit) => unit.seq)).toEqual(view.units.map((unit) => unit.seq))
  expect(
    newViolations(
      finished(violations(view, defaultInvariants)),
      finished(violations(after, defaultInvariants)),
    ),
  ).toEqual([])
  expectFewerTokens(edits, context, view, after)
  return {
    changed: edits.length,
    messages: adapter.write(request, after).messages,
    results: after.units.flatMap((unit) =>
      unit.parts.flatMap((part) => (part.type === 'tool-result' ? textOf(part) : [])),
    ),
  }
}

function contextOf(view: View, run: PassCase): PassContext {
  const counter = partCounter(tokenCounter('o200k_base'))
  const prefixes = run.refusalPrefixes ?? defaultRefusalPrefixes
  const base = { ...view, units: view.originals }
  const keep = keepSetOf(base, run.keepRecentTokens ?? 0, prefixes, counter.countUnit)
  return {
    count: counter.countPart,
    countText: counter.countText,
    isProtected: keep.isProtected,
    isTail: run.noTail ? () => false : keep.isTail,
    toolSemantics: toolLookup({ ...defaultTools, ...run.tools }),
  }
}

function expectFewerTokens(
  edits: readonly Edit[],
  context: PassContext,
  view: View,
  after: View,
): void {
  for (const edit of edits) expect(edit.tokensAfter).toBeLessThan(edit.tokensBefore)
  const protectedParts = view.units.flatMap((unit) => unit.parts).filter(context.isProtected)
  const now = new Set(after.units.flatMap((unit) => unit.parts))
  for (const part of protectedParts) expect(now.has(part), textOf(part)).toBe(true)
}
