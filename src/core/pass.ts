import { applyEdits, composeEdits, type Edit, freedTokens } from './edit.ts'
import { answeredCalls, exchangesOf } from './exchange.ts'
import type { Part, Unit, View } from './model.ts'
import type { StepReport } from './report.ts'
import { pausing, type Sliced } from './sliced.ts'
import { argumentsOf, semanticsOf, type ToolSemantics, type ToolTable } from './tools.ts'

/** What a pass may ask. All of it is data and pure functions of it. */
export interface PassContext {
  /** Tokens of a part as it would be sent. */
  readonly count: (part: Part) => number
  /** Tokens of a text. */
  readonly countText: (text: string) => number
  /** True for parts no pass may touch: task, newest user message, pins, refusals. */
  readonly isProtected: (part: Part) => boolean
  /** True for units of the tail: the newest steps, which only thin and the two drop-stale passes leave alone. */
  readonly isTail: (unit: Unit) => boolean
  readonly toolSemantics: (tool: string) => ToolSemantics
}

/**
 * A deterministic step without a model. `run` is synchronous, pure and idempotent: it gives back edits on
 * originals that never raise the number of tokens, and none on a second run over its own result.
 */
export interface Pass<Name extends string = string, Options = unknown> {
  readonly name: Name
  readonly defaults: Options
  /** A method, so that lists of passes with different options have one type. */
  run(view: View, options: Options, context: PassContext): readonly Edit[]
}

/** Gives back the pass as it is; its name and options are known to the type of any list that holds it. */
export function definePass<const Name extends string, Options>(
  pass: Pass<Name, Options>,
): Pass<Name, Options> {
  return pass
}

/** A pass with the options it runs with. */
export interface ConfiguredPass {
  readonly name: string
  readonly run: (view: View, context: PassContext) => readonly Edit[]
}

/** Gives back the passes that are not switched off, in order, each bound to its options. */
export function configurePasses(
  passes: readonly Pass[],
  options: Readonly<Record<string, object | false | undefined>>,
): readonly ConfiguredPass[] {
  return passes.flatMap((pass) => {
    const own = Object.hasOwn(options, pass.name) ? options[pass.name] : undefined
    if (own === false) return []
    const merged = { ...(pass.defaults as object), ...own }
    return [
      {
        name: pass.name,
        run: (view: View, context: PassContext) => pass.run(view, merged, context),
      },
    ]
  })
}

/** Edits so far, with the view they make and what each step did. */
export interface Batch {
  readonly edits: readonly Edit[]
  readonly view: View
  readonly steps: readonly StepReport[]
}

/** Gives back the batch with one pass more. A pass is applied whole or not at all. */
export function runPass(
  base: View,
  batch: Batch,
  pass: ConfiguredPass,
  context: PassContext,
): Batch {
  const wanted = pass.run(batch.view, context)
  if (wanted.length === 0) return batch
  const edits = composeEdits(batch.edits, wanted)
  const step = { name: pass.name, changedParts: wanted.length, freedTokens: freedTokens(wanted) }
  return { edits, view: applyEdits(base, edits), steps: [...batch.steps, step] }
}

/** Gives back the batch that the passes make, in order, up to the one after which it is enough. It pauses after each. */
export function* runPasses(
  base: View,
  batch: Batch,
  passes: readonly ConfiguredPass[],
  context: PassContext,
  isEnough: (view: View) => boolean,
): Sliced<Batch> {
  let so = batch
  for (const pass of passes) {
    yield* readCalls(so.view)
    yield
    so = runPass(base, so, pass, context)
    if (isEnough(so.view)) break
  }
  return so
}

/** What every pass reads of a view is remembered, and takes longer than a pass: it is read before, in slices. */
function* readCalls(view: View): Sliced<void> {
  exchangesOf(view)
  yield
  yield* pausing(answeredCalls(view), ({ call }) => argumentsOf(call.part))
}

/** Gives back a rewrite of a part, or none where the new text would not be smaller. */
export function rewriteIfSmaller(
  pass: string,
  reason: string,
  part: Part,
  text: string,
  context: Pick<PassContext, 'count' | 'countText'>,
): readonly Edit[] {
  const tokensBefore = context.count(part)
  const tokensAfter = context.countText(text)
  if (tokensAfter >= tokensBefore) return []
  return [
    {
      type: 'rewrite',
      seq: part.seq,
      part: part.index,
      text,
      pass,
      reason,
      tokensBefore,
      tokensAfter,
    },
  ]
}

/** Gives back the look-up over a table of tools. */
export function toolLookup(table: ToolTable): (tool: string) => ToolSemantics {
  return (tool) => semanticsOf(table, tool)
}

/** True for a part that came in by an edit: it has no address, and no pass may touch it. */
export function isInserted(part: Part): boolean {
  return part.seq < 0
}
