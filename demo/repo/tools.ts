import type { ToolDefinition } from '../simulator/protocol.ts'
import { repoFiles } from './files.ts'
import { testLog } from './test-log.ts'

/** The tools that the page offers to `sim-agent`, as the request carries them. */
export const repoTools: readonly ToolDefinition[] = [
  tool('list_files', 'Lists the files of the repository.', {
    path: text('Only files whose path starts with this; empty for all.'),
  }),
  tool('read_file', 'Reads one file.', { path: text('Path of the file.') }),
  tool('grep', 'Finds lines that contain a text, in all files.', {
    pattern: text('The text to look for; case does not matter.'),
  }),
  tool('run_tests', 'Runs all tests and gives back the log.', {}),
]

/**
 * Runs a tool over the virtual repo and gives back the text of its result.
 * What goes wrong becomes the result, since the model is the one that has to know.
 */
export function runRepoTool(name: string, inputJson: string): string {
  const input = parseInput(inputJson)
  if (input === undefined) return 'Error: the arguments are no JSON object.'
  switch (name) {
    case 'list_files':
      return listFiles(input.path ?? '')
    case 'read_file':
      return readFile(input.path ?? '')
    case 'grep':
      return grep(input.pattern ?? '')
    case 'run_tests':
      return testLog()
    default:
      return `Error: there is no tool named ${name}.`
  }
}

function listFiles(prefix: string): string {
  const paths = Object.keys(repoFiles).filter((path) => path.startsWith(prefix))
  return paths.map((path) => `${path} (${repoFiles[path]?.length} bytes)`).join('\n')
}

function readFile(path: string): string {
  const file = Object.hasOwn(repoFiles, path) ? repoFiles[path] : undefined
  return file ?? `Error: no such file: ${path}`
}

function grep(pattern: string): string {
  const wanted = pattern.toLowerCase()
  const found = Object.entries(repoFiles).flatMap(([path, content]) =>
    content
      .split('\n')
      .flatMap((line, index) =>
        line.toLowerCase().includes(wanted) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
      ),
  )
  return found.length > 0 ? found.join('\n') : `No line contains ${JSON.stringify(pattern)}.`
}

function parseInput(json: string): Readonly<Record<string, string>> | undefined {
  try {
    const input: unknown = JSON.parse(json)
    if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined
    return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, String(value)]))
  } catch {
    // Arguments that are no JSON are the model's mistake; the result says so.
    return undefined
  }
}

function tool(name: string, description: string, properties: object): ToolDefinition {
  const parameters = { type: 'object', properties, required: Object.keys(properties) }
  return { type: 'function', function: { name, description, parameters } }
}

function text(description: string) {
  return { type: 'string', description }
}
