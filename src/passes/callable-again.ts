import type { ToolSemantics } from '../core/tools.ts'

/** Gives back the tool that a marker may tell the model to call again: one whose repetition does nothing. */
export function callableAgain(semantics: ToolSemantics, tool: string): string | undefined {
  return semantics.effect === 'read' || semantics.effect === 'neutral' ? tool : undefined
}
