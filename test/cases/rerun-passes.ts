import { adapterFor } from '../../src/adapters/index.ts'
import { readRequest } from '../../src/adapters/read-request.ts'
import { configurePasses, type PassContext, runPass, toolLookup } from '../../src/core/pass.ts'
import { defaultTools } from '../../src/core/tools.ts'
import { defaultPasses } from '../../src/passes/index.ts'
import { partCounter } from '../../src/tokens/parts.ts'
import type { CaseInput, Observed } from '../support/case-types.ts'
import { countText } from '../support/count.ts'

/**
 * Runs each of the named passes on the case, and again on its own result; gives back what the second run
 * changes. No part is protected and none is in the tail, so that a pass has as much to do as it ever could.
 */
export function rerunPasses(
  input: CaseInput,
  names: ReadonlySet<string>,
): NonNullable<Observed['passReruns']> {
  const { view } = readRequest(adapterFor(input, input.format), { ...input, model: 'gpt-4o' })
  const passes = configurePasses(defaultPasses, {}).filter((pass) => names.has(pass.name))
  return passes.map((pass) => {
    const once = runPass(view, { edits: [], view, steps: [] }, pass, context)
    return { pass: pass.name, changedParts: pass.run(once.view, context).length }
  })
}

const counter = partCounter({ count: countText })

const context: PassContext = {
  count: counter.countPart,
  countText,
  isProtected: () => false,
  isTail: () => false,
  toolSemantics: toolLookup(defaultTools),
}
