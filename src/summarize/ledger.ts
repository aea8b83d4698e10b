import type { ToolCallPart, Unit } from '../core/model.ts'
import { argumentsOf } from '../core/tools.ts'

/** Arguments that name an artifact. */
const PATH_ARGUMENT = /^(?:path|paths|file|files|file_path|filePath|filename|uri|notebook_path)$/u

/** A path with what was done to it. */
export interface LedgerRow {
  readonly path: string
  readonly text: string
}

/**
 * Gives back one row a path that calls named, oldest first: `src/a.ts — read_file×3, edit_file×2`. Artifacts are
 * what every summary tracks worst, and a whole ledger is cheap (QUALITY 0.6).
 */
export function ledgerRows(units: readonly Unit[]): readonly LedgerRow[] {
  const uses = new Map<string, Map<string, number>>()
  for (const unit of units) {
    for (const part of unit.parts) {
      const original = part.was ?? part
      if (original.type !== 'tool-call') continue
      for (const path of pathsOf(original)) count(uses, path, original.tool)
    }
  }
  return [...uses].map(([path, tools]) => ({
    path,
    text: `${path} — ${[...tools].map(usesOf).join(', ')}`,
  }))
}

function pathsOf(call: ToolCallPart): readonly string[] {
  return Object.entries(argumentsOf(call) ?? {}).flatMap(([name, value]) => {
    if (!PATH_ARGUMENT.test(name)) return []
    return [value].flat().filter((path): path is string => typeof path === 'string' && path !== '')
  })
}

function count(uses: Map<string, Map<string, number>>, path: string, tool: string): void {
  const tools = uses.get(path) ?? new Map<string, number>()
  tools.set(tool, (tools.get(tool) ?? 0) + 1)
  uses.set(path, tools)
}

function usesOf([tool, times]: readonly [string, number]): string {
  return times === 1 ? tool : `${tool}×${times}`
}
